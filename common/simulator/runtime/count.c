/**
 * @file count.c
 * @brief The cost model: sectors, wavefronts, bank conflicts, passes.
 *
 * All rules are those that an H200 showed in Nsight Compute; the tests hold
 * them against the recorded measurements. In short:
 *
 *   global            l1.c
 *   constant          distinct words
 *   global atomics    in each sector, the most lanes on one address
 *   shared            the most distinct words in one bank, for groups of lanes
 *                     that together ask for at most 128 bytes; groups of loads
 *                     are served two at a time if lanes share addresses in
 *                     pairs all over the warp
 *   ldmatrix          the same without pairs: a matrix is 8 lanes
 *   shared atomics    the most lanes in one bank, or one of two special cases
 */
#include "count.h"

#include "alloc.h"
#include "l1.h"
#include "sites.h"

#define BANKS 32       /**< of shared memory, 4 bytes wide */
#define SECTOR_SHIFT 5 /**< 32 bytes */
#define ALL_LANES 0xffffffffu

void sim_count_open(sim_worker *w)
{
    size_t bytes = ((size_t)sim_site_limit() << 4) * sizeof(sim_stat);
    w->stats = sim_map(bytes);
}

sim_pattern sim_pattern_of(const uint64_t access[LANES], uint32_t mask)
{
    if (mask != ALL_LANES)
        return PATTERN_ANY;
    uint64_t expected = access[0], step = access[1] - access[0];
    uint64_t differences = 0;
    for (unsigned l = 0; l < LANES; l++) {
        differences |= access[l] ^ expected;
        expected += step;
    }
    if (differences)
        return PATTERN_ANY;
    return step == 0                         ? PATTERN_SAME
           : step == access_bytes(access[0]) ? PATTERN_CONSECUTIVE
                                             : PATTERN_STRIDED;
}

/* ---- sets of numbers ----------------------------------------------------- */

/** At most 32 different numbers, each with a value. */
typedef struct {
    uint64_t used;       /* slots */
    uint64_t number[64]; /* hash table, half full at most */
    uint8_t value[64];
} small_map;

/** The slot of @p number. @return its index; *is_new: it was not there */
static unsigned find_slot(small_map *map, uint64_t number, bool *is_new)
{
    unsigned i = (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 58);
    while (map->used >> i & 1) {
        if (map->number[i] == number) {
            *is_new = false;
            return i;
        }
        i = (i + 1) & 63;
    }
    *is_new = true;
    map->used |= UINT64_C(1) << i;
    map->number[i] = number;
    map->value[i] = 0;
    return i;
}

/** Different values of address >> shift. */
static unsigned count_distinct(const uint64_t access[LANES], uint32_t mask,
                               unsigned shift)
{
    unsigned changes = 0;
    bool ascending = true;
    uint64_t last = 0; /* an access is never 0: it has a size */
    FOR_EACH_LANE (l, mask) {
        uint64_t number = access[l] >> shift;
        changes += number != last;
        ascending &= number >= last;
        last = number;
    }
    if (ascending)
        return changes;
    small_map map;
    map.used = 0;
    unsigned count = 0;
    FOR_EACH_LANE (l, mask) {
        bool is_new;
        find_slot(&map, access[l] >> shift, &is_new);
        count += is_new;
    }
    return count;
}

/* ---- global memory ------------------------------------------------------- */

/**
 * Sectors of a global atomic: lanes on one address are served one by one,
 * different addresses of a sector together. Measured: never too high, exact
 * but for widely scattered addresses.
 */
static unsigned atomic_sectors(const uint64_t access[LANES], uint32_t mask)
{
    small_map lanes, most;
    lanes.used = most.used = 0;
    unsigned total = 0;
    FOR_EACH_LANE (l, mask) {
        bool is_new;
        unsigned i = find_slot(&lanes, access[l], &is_new);
        unsigned n = ++lanes.value[i];
        i = find_slot(&most, access[l] >> SECTOR_SHIFT, &is_new);
        if (n > most.value[i]) {
            most.value[i] = (uint8_t)n;
            total++;
        }
    }
    return total;
}

/* ---- shared memory ------------------------------------------------------- */

/**
 * The most words that one bank must deliver to the lanes of @p mask.
 *
 * @param words  4-byte words of each lane
 * @param each   lanes with the same word count each time
 */
static unsigned bank_passes(const uint64_t access[LANES], uint32_t mask,
                            unsigned words, bool each)
{
    uint8_t count[BANKS] = {0};
    uint32_t word_of[BANKS][LANES];
    unsigned most = 0;
    FOR_EACH_LANE (l, mask) {
        uint32_t first = (uint32_t)access[l] >> 2;
        for (uint32_t word = first; word < first + words; word++) {
            unsigned bank = word % BANKS, i = 0;
            if (each)
                i = count[bank];
            while (i < count[bank] && word_of[bank][i] != word)
                i++;
            if (i < count[bank])
                continue;
            word_of[bank][i] = word;
            count[bank]++;
            if (count[bank] > most)
                most = count[bank];
        }
    }
    return most;
}

/** Is each active lane's partner l ^ distance inactive or at its address? */
static bool paired(const uint64_t access[LANES], uint32_t mask,
                   unsigned distance)
{
    FOR_EACH_LANE (l, mask)
        if (mask >> (l ^ distance) & 1 && access[l] != access[l ^ distance])
            return false;
    return true;
}

/** Wavefronts of a load or store.
 *  @param alone        groups are never served two at a time
 *  @param[out] groups  the least for it */
static unsigned wavefronts(const uint64_t access[LANES], uint32_t mask,
                           unsigned bytes, bool alone, unsigned *groups)
{
    if (bytes <= 4) {
        *groups = 1;
        return bank_passes(access, mask, 1, false);
    }
    unsigned size = bytes == 8 ? 16 : 8; /* lanes that ask for 128 bytes */
    if (!alone && (paired(access, mask, 1) || paired(access, mask, 2)))
        size *= 2;
    unsigned sum = 0;
    *groups = 0;
    for (unsigned l = 0; l < LANES; l += size) {
        uint32_t group = mask & (uint32_t)(((UINT64_C(1) << size) - 1) << l);
        if (!group)
            continue;
        sum += bank_passes(access, group, bytes / 4, false);
        ++*groups;
    }
    return sum;
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
        unsigned groups;
        unsigned reads = wavefronts(access, mask, bytes, false, &groups);
        add(loads, lanes, reads, groups, reads - groups, bytes);
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
    unsigned bytes = access_bytes(first), flavour = access_flavour(first);
    unsigned units, groups = 1;
    if (access_op(first) == OP_ATOMIC) {
        if ((flavour & FLAVOUR_KIND) == FLAVOUR_FLOAT) {
            count_float_atomic(w, access, mask, site);
            return;
        }
        units = bank_passes(access, mask, 1, flavour != FLAVOUR_COUNT);
    } else if (pattern == PATTERN_CONSECUTIVE) {
        units = groups = bytes <= 4 ? 1 : bytes / 4;
    } else if (pattern == PATTERN_SAME && bytes <= 4) {
        units = 1;
    } else {
        bool alone = access_op(first) == OP_STORE || flavour & FLAVOUR_MATRIX;
        units = wavefronts(access, mask, bytes, alone, &groups);
    }
    add(s, lanes, units, groups, units - groups, bytes);
}

void sim_count_block(sim_worker *w, uint32_t mask, uint32_t site)
{
    sim_stat *s = stat_of(w, site, SPACE_NONE, OP_LOAD);
    s->requests++;
    s->lanes += (unsigned)__builtin_popcount(mask);
}

static void count_global(sim_stat *s, const uint64_t access[LANES],
                         uint32_t mask, sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned lanes = (unsigned)__builtin_popcount(mask);
    unsigned bytes = access_bytes(first);
    unsigned least = (lanes * bytes + 31) >> SECTOR_SHIFT;
    sim_l1_cost cost = {0};
    if (access_op(first) == OP_ATOMIC)
        cost.sectors = atomic_sectors(access, mask);
    else
        cost = sim_l1_request(access, mask, pattern);
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
            count_distinct(access, mask, 2), 1, 0, access_bytes(first));
}
