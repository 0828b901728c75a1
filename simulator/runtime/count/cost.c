/**
 * @file cost.c
 * @brief The cost model: sectors, wavefronts, passes.
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
#include "cost.h"

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

unsigned sim_distinct(const uint64_t access[LANES], uint32_t mask,
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
unsigned sim_atomic_sectors(const uint64_t access[LANES], uint32_t mask)
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

/** The words that each bank must deliver, one after the other. */
typedef struct {
    uint8_t count[BANKS];
    uint32_t word[BANKS][LANES];
} bank_queues;

/**
 * The most words that one bank must deliver to the lanes of @p mask.
 *
 * @param words        4-byte words of each lane
 * @param each         lanes with the same word count each time
 * @param[out] queues  what each bank delivers
 * @param[out] turn    when, for each lane and word; NULL: nobody asks
 */
static inline __attribute__((always_inline)) unsigned
fill_queues(const uint64_t access[LANES], uint32_t mask, unsigned words,
            bool each, bank_queues *queues, uint8_t (*turn)[LANE_WORDS])
{
    uint8_t *count = queues->count;
    unsigned most = 0;
    for (unsigned bank = 0; bank < BANKS; bank++)
        count[bank] = 0;
    FOR_EACH_LANE (l, mask) {
        uint32_t first = (uint32_t)access[l] >> 2;
        for (uint32_t word = first; word < first + words; word++) {
            unsigned bank = word % BANKS, i = 0;
            if (each)
                i = count[bank];
            while (i < count[bank] && queues->word[bank][i] != word)
                i++;
            if (turn)
                turn[l][word - first] = (uint8_t)i;
            if (i < count[bank])
                continue;
            queues->word[bank][i] = word;
            count[bank]++;
            if (count[bank] > most)
                most = count[bank];
        }
    }
    return most;
}

/** The same, of which only the number matters. */
static unsigned bank_passes(const uint64_t access[LANES], uint32_t mask,
                            unsigned words, bool each)
{
    bank_queues queues;
    return fill_queues(access, mask, words, each, &queues, NULL);
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

/** Lanes of a load or store that are served together. */
static unsigned group_lanes(const uint64_t access[LANES], uint32_t mask)
{
    uint64_t first = access[__builtin_ctz(mask)];
    if (access_bytes(first) <= 4)
        return LANES;
    unsigned size = access_bytes(first) == 8 ? 16 : 8; /* for 128 bytes */
    if (access_op(first) == OP_STORE || access_is_matrix(first))
        return size; /* groups are never served two at a time */
    return paired(access, mask, 1) || paired(access, mask, 2) ? 2 * size : size;
}

/** Those of them that begin at lane @p l. */
static uint32_t group_from(unsigned l, unsigned size, uint32_t mask)
{
    return mask & (uint32_t)(((UINT64_C(1) << size) - 1) << l);
}

/** Wavefronts of a load or store, any addresses. */
static sim_shared_cost wavefronts(const uint64_t access[LANES], uint32_t mask,
                                  unsigned words)
{
    unsigned size = group_lanes(access, mask);
    sim_shared_cost sum = {0, 0};
    for (unsigned l = 0; l < LANES; l += size) {
        uint32_t group = group_from(l, size, mask);
        if (!group)
            continue;
        sum.wavefronts += bank_passes(access, group, words, false);
        sum.least++;
    }
    return sum;
}

sim_shared_cost sim_shared_request(const uint64_t access[LANES], uint32_t mask,
                                   sim_pattern pattern)
{
    uint64_t first = access[__builtin_ctz(mask)];
    unsigned bytes = access_bytes(first);
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    if (pattern == PATTERN_CONSECUTIVE)
        return (sim_shared_cost){words, words};
    if (pattern == PATTERN_SAME && words == 1)
        return (sim_shared_cost){1, 1};
    return wavefronts(access, mask, words);
}

sim_shared_cost sim_shared_atomic(const uint64_t access[LANES], uint32_t mask,
                                  bool each)
{
    return (sim_shared_cost){bank_passes(access, mask, 1, each), 1};
}

void sim_shared_turns(const uint64_t access[LANES], uint32_t mask,
                      uint8_t turn[LANES][LANE_WORDS])
{
    unsigned bytes = access_bytes(access[__builtin_ctz(mask)]);
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    unsigned size = group_lanes(access, mask), before = 0;
    for (unsigned first = 0; first < LANES; first += size) {
        uint32_t group = group_from(first, size, mask);
        bank_queues queues;
        unsigned most = fill_queues(access, group, words, false, &queues, turn);
        FOR_EACH_LANE (l, group)
            for (unsigned w = 0; w < words; w++)
                turn[l][w] = (uint8_t)(turn[l][w] + before);
        before += most;
    }
}
