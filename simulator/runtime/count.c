/**
 * @file count.c
 * @brief The requests of a launch, summed for each site.
 */
#include "count.h"

#include "alloc.h"
#include "l1.h"
#include "sites.h"

#define BANKS 32 /**< of shared memory, 4 bytes wide */

void sim_count_open(sim_worker *w)
{
    size_t bytes = ((size_t)sim_site_limit() << 4) * sizeof(sim_stat);
    w->stats = sim_map(bytes);
    w->met = sim_map(sim_site_limit());
}

/** Add one request to the sums. */
static void add(sim_stat *s, unsigned lanes, unsigned units, unsigned ideal,
                unsigned conflicts, unsigned bytes)
{
    if (!s->requests) {
        s->least = units;
        s->bytes = bytes;
    }
    s->requests++;
    s->lanes += lanes;
    s->units += units;
    s->ideal += ideal;
    s->conflicts += conflicts;
    if (units < s->least)
        s->least = units;
    if (units > s->most)
        s->most = units;
}

/**
 * A float atomic is a loop in hardware: all waiting lanes read, then in each
 * bank the lowest waiting lane gets its compare-and-swap through.
 */
static void count_float_atomic(sim_worker *w, const uint64_t access[LANES],
                               uint32_t mask, uint32_t site)
{
    sim_stat *loads = stat_of(w, site, SPACE_SHARED, OP_LOAD);
    sim_stat *atomics = stat_of(w, site, SPACE_SHARED, OP_ATOMIC);
    unsigned bytes = access_bytes(access[__builtin_ctz(mask)]);
    while (mask) {
        unsigned lanes = (unsigned)__builtin_popcount(mask);
        sim_shared_cost reads = sim_shared_request(access, mask, PATTERN_ANY);
        add(loads, lanes, reads.wavefronts, reads.least,
            reads.wavefronts - reads.least, bytes);
        add(atomics, lanes, 2, 2, 0, bytes);
        uint32_t banks = 0, done = 0;
        FOR_EACH_LANE (l, mask) {
            uint32_t bank = 1u << (access[l] >> 2) % BANKS;
            if (!(banks & bank))
                done |= 1u << l;
            banks |= bank;
        }
        mask &= ~done;
    }
}

/* ---- all together -------------------------------------------------------- */

static void count_shared(sim_worker *w, sim_stat *s,
                         const uint64_t access[LANES], uint32_t mask,
                         uint32_t site, sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    unsigned flavour = access_flavour(first);
    sim_shared_cost cost;
    if (access_op(first) != OP_ATOMIC) {
        cost = sim_shared_request(access, mask, pattern);
    } else if ((flavour & FLAVOUR_KIND) != FLAVOUR_FLOAT) {
        cost = sim_shared_atomic(access, mask, flavour != FLAVOUR_COUNT);
    } else {
        count_float_atomic(w, access, mask, site);
        return;
    }
    add(s, lanes, cost.wavefronts, cost.least, cost.wavefronts - cost.least,
        access_bytes(first));
}

void sim_count_block(sim_worker *w, uint32_t mask, uint32_t site)
{
    sim_stat *s = stat_of(w, site, SPACE_NONE, OP_LOAD);
    w->met[site] = true;
    s->requests++;
    s->lanes += (unsigned)__builtin_popcount(mask);
}

/**
 * The accesses by addresses that are the same in every run: what lies outside
 * the arena, where the system puts things as it likes, by its position.
 * @return @p access or @p room
 */
static const uint64_t *stable(const uint64_t access[LANES], uint32_t mask,
                              sim_pattern pattern, uint64_t room[LANES])
{
    bool regular = pattern != PATTERN_ANY; /* the first lane tells of all */
    bool inside = true;
    FOR_EACH_LANE (l, regular ? 1 : mask)
        inside &= in_arena(access_address(access[l]));
    if (inside)
        return access;
    uint64_t shift = 0;
    FOR_EACH_LANE (l, mask) {
        uint64_t address = access_address(access[l]);
        if (!regular || l == 0)
            shift = sim_stable_address(address) - address;
        room[l] = access[l] + shift;
    }
    return room;
}

static void count_global(sim_stat *s, const uint64_t access[LANES],
                         uint32_t mask, sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    unsigned bytes = access_bytes(first);
    unsigned least = (lanes * bytes + 31) >> SECTOR_SHIFT;
    sim_l1_cost cost = {0};
    uint64_t room[LANES];
    if (access_op(first) == OP_ATOMIC)
        cost.sectors = sim_atomic_sectors(access, mask);
    else
        cost =
            sim_l1_request(stable(access, mask, pattern, room), mask, pattern);
    add(s, lanes, cost.sectors, least < cost.sectors ? least : cost.sectors, 0,
        bytes);
    s->tags += cost.tags;
    s->data += cost.data;
    s->cycles += cost.cycles;
}

void sim_count_request(sim_worker *w, const uint64_t access[LANES],
                       uint32_t mask, uint32_t site, sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned space = access_space(first);
    unsigned op =
        access_flavour(first) & FLAVOUR_MATRIX ? STAT_MATRIX : access_op(first);
    sim_stat *s = stat_of(w, site, space, op);
    w->met[site] = true;
    uint64_t address = access_address(first);
    if (!s->requests || address < s->low)
        s->low = address;
    if (address > s->high)
        s->high = address;
    if (space == SPACE_SHARED)
        count_shared(w, s, access, mask, site, pattern);
    else if (space == SPACE_GLOBAL)
        count_global(s, access, mask, pattern);
    else
        add(s, (unsigned)__builtin_popcount(mask),
            sim_distinct(access, mask, 2), 1, 0, access_bytes(first));
}
