/**
 * @file hooks.c
 * @brief What an instrumented kernel calls before each access: the hot code.
 *
 * A hook finds out which memory an address belongs to, refuses what a GPU
 * would refuse, and writes one entry to the log of the worker. It comes before
 * the access, so a bad one never happens. The order of the questions is the
 * order of how often the answer is yes.
 *
 * Everything a hook needs lies in the first three cache lines of sim_worker.
 * Keep this file small and look at the compiler's output after a change: each
 * instruction here is executed for every access of every GPU thread.
 */
#include "inside.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INLINE static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))

/** What is near shared memory is taken for an overrun of it (bytes). */
#define NEAR ((size_t)64 << 10)

/* ---- rare cases ---------------------------------------------------------- */

/** What a GPU would refuse, too; see the event. */
_Noreturn COLD void refuse(sim_worker *w, unsigned space, uint64_t address,
                           unsigned bytes, unsigned op, uint32_t site)
{
    bool aligned = space == SPACE_NONE || !(address & (bytes - 1));
    if (space == SPACE_GLOBAL) { /* outside matters more */
        const sim_granule *g = granule_of(address);
        aligned |= address - g->low + bytes - 1 >= g->bytes;
    }
    RAISE(refused, w, space, address, aligned, bytes, op, site);
    sim_end_launch(w, aligned ? cudaErrorIllegalAddress
                              : cudaErrorMisalignedAddress);
}

/** A buffer that has not been written completely. */
COLD void first_use(sim_worker *w, uintptr_t address, uint64_t what,
                    uint32_t site)
{
    unsigned bytes = access_bytes(what);
    if (access_reads(what) && sim_written(address, bytes) + 1 != 1u << bytes)
        RAISE(uninitialised, w, address, what, site);
    if (access_op(what) != OP_LOAD)
        sim_mark_written(address, bytes);
}

/** Neither device memory, nor shared, nor the lane's own stack.
 *  @return the access; 0: not worth counting */
COLD uint64_t elsewhere(sim_worker *w, uintptr_t address, unsigned bytes,
                        unsigned op, uint32_t site)
{
    if (!w->lane)
        return 0; /* host code */
    sim_worker *owner = sim_cluster_owner(w, (const void *)address);
    if (owner && owner != w) {
        sim_cluster_member(owner->rank, site);
        sim_hook_remote(owner, sim_cluster_offset(owner, (const void *)address),
                        ACCESS(SPACE_SHARED, op, bytes) | UNCOUNTED, site);
        return 0;
    }
    sim_outer_kind kind = sim_outer(address);
    if (kind != OUTER_HOST) {
        if ((address & (bytes - 1)) ||
            (sim_is_variable(address) && !sim_variable_at(address + bytes - 1)))
            refuse(w, SPACE_GLOBAL, address, bytes, op, site);
        return address |
               ACCESS(kind == OUTER_CONSTANT ? SPACE_CONSTANT : SPACE_GLOBAL,
                      op, bytes);
    }
    if (w->shared_bytes &&
        address - (w->shared_low - NEAR) < w->shared_bytes + 2 * NEAR)
        refuse(w, SPACE_SHARED, address - w->shared_low, bytes, op, site);
    if (address - (w->dynamic_low - NEAR) < w->dynamic_bytes + 2 * NEAR)
        refuse(w, SPACE_SHARED, address - w->dynamic_low + w->dynamic_offset,
               bytes, op, site);
    refuse(w, SPACE_NONE, address, bytes, op, site);
}

#define LOOK_AT_FLAG 4096 /**< atomics and volatile loads */
#define YIELD_AFTER 256   /**< where no log fills, nothing else yields */

/** A kernel looks at something that may change: does it wait for the host? */
INLINE void note_look(sim_worker *w, uintptr_t address)
{
    w->same_looks = w->looked_at == address ? w->same_looks + 1 : 0;
    w->looked_at = address;
    if (UNLIKELY(++w->looks % LOOK_AT_FLAG == 0) && sim_is_for_both(address))
        atomic_store(&sim_now.asks_host, true);
}

/** The same where nothing is logged; others come to their turn, too. */
static __attribute__((noinline)) void look(sim_worker *w, const void *p)
{
    if (!w->lane)
        return;
    note_look(w, (uintptr_t)p);
    if (w->looks % YIELD_AFTER == 0)
        sim_yield(w, LANE_READY);
}

/** A kernel stores near here: from now on block_races.c looks. */
INLINE void note_store(sim_granule *g)
{
    uint32_t before = g->written;
    if (UNLIKELY(before != sim_now.serial)) {
        g->by_many |= before != 0;
        g->written = sim_now.serial;
    }
}

/* ---- behind a thread's own array ----------------------------------------- */

#define ZONE_WORDS 14 /**< and two that hold the array's name */

/** What stands in a word of a zone: of this launch, at this place. */
INLINE uint32_t zone_word(const uint32_t *p)
{
    return ((uint32_t)(uintptr_t)p * 2654435761u) ^ sim_now.serial;
}

INLINE bool is_zone(const uint32_t *p)
{
    return *p == zone_word(p);
}

void sim_hook_zone(void *zone, const char *name)
{
    uint32_t *p = zone, *end = p + ZONE_WORDS;
    for (; p < end; p++)
        *p = zone_word(p);
    memcpy(end, &name, sizeof name);
}

void sim_hook_zone_end(void *zone)
{
    memset(zone, 0, ZONE_WORDS * sizeof(uint32_t));
}

/** A word of a zone was met: is it one, or chance? Two in a row are no chance.
 *  One may be: the last of the array. Then all of the zone follows. */
COLD void meet_zone(sim_worker *w, const uint32_t *p, unsigned bytes,
                    unsigned op, uint32_t site)
{
    if (!(is_zone(p - 1) || is_zone(p + 1)))
        return;
    const uint32_t *end = p;
    while (is_zone(end))
        end++;
    if (end - p > ZONE_WORDS)
        return;
    const char *name;
    memcpy(&name, end, sizeof name);
    sim_finding("array-bounds", sim_place_at(w, site),
                "%s of %s\n%u bytes past its end\nby %s", sim_verbs[op], name,
                bytes, sim_here(w));
    sim_end_launch(w, cudaErrorIllegalAddress);
}

/* ---- the log ------------------------------------------------------------- */

static void append_to_full(sim_worker *w, uint64_t access, uint32_t site);

/**
 * Append to the column of the running lane. A full one is emptied before, not
 * after: between the entry of a volatile load, by which happens_before.c knows
 * that the block has seen a flag, and the load itself no other block may run.
 */
INLINE void append(sim_worker *w, uint64_t access, uint32_t site)
{
    if (UNLIKELY(w->logged == LOG_ROWS)) {
        append_to_full(w, access, site);
        return; /* as the last thing a hook does, so it saves no registers */
    }
    uint32_t at = w->logged++;
    w->access[at] = access;
    w->key[at] = w->level | site;
}

static __attribute__((noinline)) void
append_to_full(sim_worker *w, uint64_t access, uint32_t site)
{
    sim_yield(w, LANE_FULL);
    append(w, access, site);
}

/** What may be a zone, and is not as a rule. */
static __attribute__((noinline)) void note_zone(sim_worker *w,
                                                const uint32_t *p,
                                                unsigned bytes, unsigned op,
                                                uint32_t site)
{
    meet_zone(w, p, bytes, op, site);
    if (sim_entry_kind[site] == ENTRY_BOTH)
        append(w, 0, site);
}

/** A place on the stack: a thread's own variable, or behind an array of it. */
INLINE void note_own(sim_worker *w, uintptr_t a, unsigned bytes, unsigned op,
                     uint32_t site)
{
    const uint32_t *p = (const uint32_t *)((a + bytes - 1) & ~(uintptr_t)3);
    if (UNLIKELY(is_zone(p)))
        note_zone(w, p, bytes, op, site);
    else if (sim_entry_kind[site] == ENTRY_BOTH)
        append(w, 0, site);
}

/** One access of the running lane, whatever it is.
 *  @param what  the bits above the address, for global memory */
static __attribute__((noinline)) void note_any(sim_worker *w, uintptr_t a,
                                               uint32_t site, uint64_t what)
{
    unsigned bytes = access_bytes(what), op = access_op(what);
    unsigned flavour = access_flavour(what);
    uint64_t access = a | what;
    bool in_memory = false;
    if (a - w->arena < ARENA_BYTES) {
        const sim_granule *g = &w->granules[(a - w->arena) >> GRANULE_SHIFT];
        if (a - g->low + bytes - 1 >= g->bytes || a & (bytes - 1))
            refuse(w, SPACE_GLOBAL, a, bytes, op, site);
        if (!g->initialised)
            first_use(w, a, what, site);
        in_memory = true;
    } else if (a - w->stack_low < w->stack_bytes) {
        note_own(w, a, bytes, op, site);
        return;
    } else if (a - w->shared_low < w->shared_bytes ||
               a - w->dynamic_low + bytes - 1 < w->dynamic_bytes) {
        uint64_t offset = sim_shared_offset((const void *)a);
        access = offset | what | ACCESS(SPACE_SHARED, 0, 0);
        if (a & (bytes - 1))
            refuse(w, SPACE_SHARED, offset, bytes, op, site);
        if (UNLIKELY(w->in_flight))
            RAISE(copy_conflict, w, offset, bytes, op, site);
    } else {
        access = elsewhere(w, a, bytes, op, site);
        if (!access)
            return;
        access |= (uint64_t)flavour << FLAVOUR_SHIFT;
        in_memory = access_space(access) == SPACE_GLOBAL;
    }
    if (in_memory && op != OP_LOAD)
        note_store(granule_of(a));
    if (in_memory && (op == OP_ATOMIC || flavour & FLAVOUR_VOLATILE))
        note_look(w, a);
    bool all_see = op == OP_ATOMIC ? !(flavour & FLAVOUR_BLOCK)
                                   : flavour & FLAVOUR_VOLATILE;
    if (in_memory && op != OP_LOAD && all_see) {
        RAISE(signal, w, a, bytes);
    } else if (in_memory && op != OP_LOAD) {
        w->unfenced = w->stored = true;
    }
    append(w, access, site);
}

void sim_note(uintptr_t address, unsigned bytes, unsigned op, unsigned flavour,
              uint32_t site)
{
    sim_worker *w = sim_self;
    if (w->counting)
        note_any(w, address, site,
                 ACCESS(SPACE_GLOBAL, op, bytes) | (uint64_t)flavour
                                                       << FLAVOUR_SHIFT);
}

/** A plain access, inside of its buffer. */
INLINE void note_plain(sim_worker *w, sim_granule *g, uintptr_t a,
                       uint32_t site, uint64_t what)
{
    if (access_op(what) == OP_STORE) {
        w->unfenced = w->stored = true;
        note_store(g);
    } else if (access_flavour(what) & FLAVOUR_VOLATILE) {
        note_look(w, a);
    }
    append(w, a | what, site);
}

/** The same in a buffer that has not been written completely. */
static __attribute__((noinline)) void note_first(sim_worker *w, uintptr_t a,
                                                 uint32_t site, uint64_t what)
{
    first_use(w, a, what, site);
    note_plain(w, &w->granules[(a - w->arena) >> GRANULE_SHIFT], a, site, what);
}

/** The same for the most frequent kinds. All but @p p and @p site are
 *  constants, so little remains of it; the rest is a call at the end. */
INLINE void note(const void *p, unsigned bytes, unsigned op, unsigned flavour,
                 uint32_t site)
{
    sim_worker *w = sim_self;
    uintptr_t a = (uintptr_t)p;
    uint64_t what = ACCESS(SPACE_GLOBAL, op, bytes) | (uint64_t)flavour
                                                          << FLAVOUR_SHIFT;
    bool plain = op == OP_LOAD || (op == OP_STORE && !flavour);
    if (LIKELY(a - w->arena < ARENA_BYTES)) {
        sim_granule *g = &w->granules[(a - w->arena) >> GRANULE_SHIFT];
        if (LIKELY(plain && a - g->low + bytes - 1 < g->bytes &&
                   !(a & (bytes - 1)))) {
            if (UNLIKELY(!g->initialised))
                note_first(w, a, site, what);
            else
                note_plain(w, g, a, site, what);
            return;
        }
    } else if (a - w->shared_low < w->shared_fast && !(a & (bytes - 1))) {
        append(w, (a - w->shared_low) | what | ACCESS(SPACE_SHARED, 0, 0),
               site);
        return;
    } else if (a - w->stack_low < w->stack_bytes) {
        note_own(w, a, bytes, op, site);
        return;
    }
    note_any(w, a, site, what);
}

/* ---- hooks --------------------------------------------------------------- */

#define HOOK(name, ...)                                                        \
    void sim_hook_##name(const void *p, uint32_t site)                         \
    {                                                                          \
        __VA_ARGS__;                                                           \
    }
/** Of volatile accesses; SIM_CHECKS=0 leaves them alone. */
#define VOLATILE_HOOK(name, n, op, flavour)                                    \
    void sim_hook_##name(const void *p, uint32_t site)                         \
    {                                                                          \
        if (UNLIKELY(!sim_self->counting))                                     \
            look(sim_self, p);                                                 \
        else                                                                   \
            note(p, n, op, flavour, site);                                     \
    }
#define HOOKS_OF(n)                                                            \
    HOOK(r##n, note(p, n, OP_LOAD, 0, site))                                   \
    HOOK(w##n, note(p, n, OP_STORE, 0, site))                                  \
    HOOK(rw##n, note(p, n, OP_LOAD, 0, site); note(p, n, OP_STORE, 0, site))   \
    VOLATILE_HOOK(vr##n, n, OP_LOAD, FLAVOUR_VOLATILE)                         \
    VOLATILE_HOOK(vw##n, n, OP_STORE, FLAVOUR_VOLATILE)                        \
    VOLATILE_HOOK(vu##n, n, OP_STORE, FLAVOUR_VOLATILE | FLAVOUR_UPDATE)
HOOKS_OF(1)
HOOKS_OF(2)
HOOKS_OF(4)
HOOKS_OF(8)
HOOKS_OF(16)

void sim_hook_range(const void *p, size_t bytes, uint32_t piece, uint32_t write,
                    uint32_t site)
{
    uint64_t what = ACCESS(SPACE_GLOBAL, write ? OP_STORE : OP_LOAD, piece);
    uint64_t flavour = write ? 0 : FLAVOUR_COPY;
    for (uintptr_t at = (uintptr_t)p; bytes >= piece; at += piece) {
        note_any(sim_self, at, site, what | flavour << FLAVOUR_SHIFT);
        flavour |= write ? 0 : FLAVOUR_REST;
        bytes -= piece;
    }
}

void sim_hook_bulk(const void *p, size_t bytes, bool write, uint32_t site)
{
    uint64_t what = ACCESS(SPACE_GLOBAL, write ? OP_STORE : OP_LOAD, bytes);
    note_any(sim_self, (uintptr_t)p, site, what | UNCOUNTED | ASYNC);
}

void sim_hook_texture(const void *p, size_t bytes, uint32_t site)
{
    if (sim_self->counting)
        note_any(sim_self, (uintptr_t)p, site,
                 ACCESS(SPACE_GLOBAL, OP_LOAD, bytes) | UNCOUNTED);
}

void sim_hook_remote(sim_worker *w, uint32_t offset, uint64_t what,
                     uint32_t site)
{
    uint64_t access[LANES];
    if (access_op(what) != OP_LOAD)
        what |= ASYNC; /* the block's own fences have nothing to do with it */
    access[STRANGER % LANES] = offset | what;
    if (w->in_flight)
        RAISE(copy_conflict, w, offset, access_bytes(what), access_op(what),
              site);
    RAISE(request, w,
          &(sim_request){.access = access,
                         .first = offset | what,
                         .mask = 1u << STRANGER % LANES,
                         .site = site,
                         .warp = STRANGER / LANES});
}

void sim_hook_room(unsigned entries)
{
    sim_worker *w = sim_self;
    while (w->logged + entries > LOG_ROWS)
        sim_yield(w, LANE_FULL);
}

void sim_hook_block(uint32_t site)
{
    sim_worker *w = sim_self;
    if (UNLIKELY(!w->lane))
        return;
    if (UNLIKELY(w->logged == LOG_ROWS))
        append_to_full(w, 0, site);
    else
        w->key[w->logged++] = w->level | site;
}

void sim_hook_enter(void)
{
    sim_worker *w = sim_self;
    w->level = level_of(++w->depth);
}

void sim_hook_leave(void)
{
    sim_worker *w = sim_self;
    w->level = level_of(--w->depth);
}

void sim_hook_divide(uint64_t divisor, uint32_t site)
{
    sim_worker *w = sim_self;
    if (LIKELY(divisor != 0) || !w->lane)
        return;
    sim_finding("division-by-zero", sim_place_at(w, site),
                "integer division by 0\nby %s", sim_here(w));
    sim_end_launch(w, cudaErrorLaunchFailure);
}

void sim_hook_call(uint64_t function, uint32_t site)
{
    sim_worker *w = sim_self;
    const void *called = (const void *)(uintptr_t)function;
    if (!called || !w->lane || sim_is_device_function(called))
        return;
    sim_finding("host-function", sim_place_at(w, site),
                "call of a function of the host\nby %s; it is not on a GPU, "
                "and nothing of it is counted",
                sim_here(w));
}

void sim_hook_local(uint64_t address, uint64_t array, uint64_t size,
                    uint64_t bytes, uint32_t how, const char *name,
                    uint32_t site)
{
    uint64_t offset = address - array;
    bool inside = offset < size && bytes <= size - offset;
    bool aligned = !(address & ((how >> 1) - 1));
    sim_worker *w = sim_self;
    if (LIKELY(inside && aligned) || !w->lane)
        return;
    const char *bytes_at =
        sim_format("%s of %s\n%llu bytes at byte %lld of its %llu",
                   sim_verbs[how & 1], name, (unsigned long long)bytes,
                   (long long)offset, (unsigned long long)size);
    if (inside)
        bytes_at = sim_format("%s, at an address that is no multiple of %u",
                              bytes_at, how >> 1);
    sim_finding(inside ? "misaligned" : "array-bounds", sim_place_at(w, site),
                "%s\nby %s", bytes_at, sim_here(w));
    sim_end_launch(w, inside ? cudaErrorMisalignedAddress
                             : cudaErrorIllegalAddress);
}

/* ---- atomics ------------------------------------------------------------- */

/** A float or double by its bits. */
typedef union {
    uint64_t bits;
    float f;
    double d;
} number;

/** Numbers of 16 bits: one or two sums. */
static uint64_t add_small(int format, int bytes, uint64_t old, uint64_t value)
{
    uint64_t sums = 0;
    for (int bit = 0; bit < 8 * bytes; bit += 16)
        sums |= (uint64_t)sim_small_calculate(format, SIM_SUM,
                                              (uint16_t)(old >> bit),
                                              (uint16_t)(value >> bit), 0)
                << bit;
    return sums;
}

/** A sum of float in global memory takes denormal numbers for 0; in shared
 *  memory it does not. PTX ISA: atom, red. */
#define ADD_FLUSHED -1

/** The new value of a word. */
static uint64_t combine(int op, int bytes, uint64_t old, uint64_t value,
                        uint64_t compare)
{
    int64_t signed_old = bytes == 4 ? (int32_t)old : (int64_t)old;
    int64_t signed_value = bytes == 4 ? (int32_t)value : (int64_t)value;
    number a = {.bits = old}, b = {.bits = value};
    switch (op) {
    case SIM_ATOMIC_ADD:
        return old + value;
    case SIM_ATOMIC_MIN_SIGNED:
        return signed_value < signed_old ? value : old;
    case SIM_ATOMIC_MAX_SIGNED:
        return signed_value > signed_old ? value : old;
    case SIM_ATOMIC_MIN_UNSIGNED:
        return value < old ? value : old;
    case SIM_ATOMIC_MAX_UNSIGNED:
        return value > old ? value : old;
    case SIM_ATOMIC_AND:
        return old & value;
    case SIM_ATOMIC_OR:
        return old | value;
    case SIM_ATOMIC_XOR:
        return old ^ value;
    case SIM_ATOMIC_EXCHANGE:
        return value;
    case SIM_ATOMIC_COMPARE_SWAP:
        return old == compare ? value : old;
    case SIM_ATOMIC_INCREMENT:
        return old >= value ? 0 : old + 1;
    case SIM_ATOMIC_DECREMENT:
        return old == 0 || old > value ? value : old - 1;
    case SIM_ATOMIC_ADD_FLOAT:
        if (bytes == 4)
            a.f += b.f;
        else
            a.d += b.d;
        return a.bits;
    case ADD_FLUSHED:
        a.f = sim_flush(sim_flush(a.f) + sim_flush(b.f));
        return a.bits;
    case SIM_ATOMIC_ADD_HALF:
        return add_small(SIM_HALF, bytes, old, value);
    case SIM_ATOMIC_ADD_BFLOAT16:
        return add_small(SIM_BFLOAT16, bytes, old, value);
    }
    return old;
}

/* Do it on memory that other OS threads may touch as well. */
#define ATOMIC_OF(bytes, T)                                                    \
    INLINE uint64_t atomic_##bytes(T *p, int op, T value, T compare)           \
    {                                                                          \
        T old = __atomic_load_n(p, __ATOMIC_SEQ_CST), next;                    \
        do                                                                     \
            next = (T)combine(op, bytes, old, value, compare);                 \
        while (!__atomic_compare_exchange_n(                                   \
            p, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));        \
        return old;                                                            \
    }
ATOMIC_OF(2, uint16_t)
ATOMIC_OF(4, uint32_t)
ATOMIC_OF(8, uint64_t)

/** What it costs depends on what it does; see count.c. */
static unsigned flavour_of(int op, int bytes, bool one, bool used)
{
    unsigned flavour = used ? FLAVOUR_USED : 0;
    if (op == SIM_ATOMIC_ADD_FLOAT || op == SIM_ATOMIC_ADD_HALF ||
        op == SIM_ATOMIC_ADD_BFLOAT16)
        return flavour | FLAVOUR_FLOAT;
    if (op == SIM_ATOMIC_EXCHANGE && !used)
        return FLAVOUR_OVERWRITE;
    if (op == SIM_ATOMIC_ADD && one && bytes == 4 && !used)
        return FLAVOUR_COUNT;
    return flavour;
}

uint64_t sim_atomic(void *p, int bytes, int op, uint64_t value,
                    uint64_t compare, int used, uint32_t site)
{
    sim_worker *w = sim_self;
    bool one = op & SIM_ATOMIC_ONE;
    if (op & SIM_ATOMIC_SYSTEM)
        atomic_store(&sim_now.shares, true);
    unsigned scope = op & SIM_ATOMIC_BLOCK ? FLAVOUR_BLOCK : 0;
    op &= ~(SIM_ATOMIC_ONE | SIM_ATOMIC_SYSTEM | SIM_ATOMIC_BLOCK);
    uint64_t what = ACCESS(SPACE_GLOBAL, OP_ATOMIC, bytes) |
                    (uint64_t)(flavour_of(op, bytes, one, used) | scope)
                        << FLAVOUR_SHIFT;
    if (w->lane && w->counting) {
        note_any(w, (uintptr_t)p, site, what);
    } else { /* host code is in no log, either */
        look(w, p);
    }
    if (op == SIM_ATOMIC_ADD_FLOAT && bytes == 4 &&
        (uintptr_t)p - w->arena < ARENA_BYTES)
        op = ADD_FLUSHED;
    if (bytes == 2)
        return atomic_2(p, op, (uint16_t)value, (uint16_t)compare);
    uint64_t before = bytes == 4
                          ? atomic_4(p, op, (uint32_t)value, (uint32_t)compare)
                          : atomic_8(p, op, value, compare);
    bool swaps = op == SIM_ATOMIC_EXCHANGE ||
                 (op == SIM_ATOMIC_COMPARE_SWAP && !compare);
    if (swaps && used && !before && value && w->counting && w->logged &&
        w->lane && (w->key[w->logged - 1] & SITE_MASK) == site)
        w->access[w->logged - 1] |= TAKEN;
    bool idle = op == SIM_ATOMIC_COMPARE_SWAP ? before != compare
                : op == SIM_ATOMIC_EXCHANGE   ? before == value
                                              : !value;
    if (!idle) /* it does something, and waits for nothing */
        w->same_looks = 0;
    return before;
}

void sim_fence(int scope, uint32_t site)
{
    sim_worker *w = sim_self;
    atomic_thread_fence(memory_order_seq_cst);
    if (scope >= 2)
        atomic_store(&sim_now.shares, true);
    if (scope >= 1) {
        w->unfenced = false;
        w->stored = true;
    }
    if (w->counting && w->lane)
        append(w, scope >= 1 ? FENCE : FENCE_BLOCK, site);
}

void sim_fence_proxy(uint32_t site)
{
    sim_worker *w = sim_self;
    if (!w->lane)
        return;
    w->lane->init_fence_clock = ++w->clock;
    if (w->counting)
        append(w, FENCE_PROXY, site);
}
