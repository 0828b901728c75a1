/**
 * @file banks.c
 * @brief One access of a warp to shared memory: banks, groups, wavefronts.
 *
 * The cost is the simulator's: cost.c.
 */
#include "../../simulator/runtime/count/cost.c"

/** The page reads this as an array of 32-bit numbers: keep the order. */
typedef struct {
    uint32_t wavefronts;
    uint32_t least;                  /**< if every group took one */
    uint32_t group_lanes;            /**< lanes that are served together */
    uint32_t pitch;                  /**< from row to row (words) */
    uint32_t exchange;               /**< columns that XOR exchanges; 1: none */
    uint32_t taken[4];               /**< wavefronts of each group */
    uint32_t word[LANES];            /**< that each lane begins at */
    uint32_t count[4][BANKS];        /**< words that a bank gives to a group */
    uint32_t queue[4][BANKS][LANES]; /**< which */
} banks;

/** The largest power of two, `most` at most, that divides n. */
static uint32_t power_of_two(uint32_t n, uint32_t most)
{
    uint32_t power = 1;
    while (power < most && n % (2 * power) == 0)
        power *= 2;
    return power;
}

/**
 * The lanes stand in `rows` rows of a tile, as many in each, side by side.
 *
 * @param store   1: a store, 0: a load
 * @param width   bytes of a lane
 * @param rows    a power of two
 * @param stride  words of a row of the tile
 * @param pad     words at the end of each row
 * @param swizzle 1: column c of row r lies at c ^ r, as far as the row goes
 */
__attribute__((export_name("explore"))) const banks *
explore(uint32_t store, uint32_t width, uint32_t rows, uint32_t stride,
        uint32_t pad, uint32_t swizzle)
{
    static banks result;
    uint64_t access[LANES];
    uint32_t words = width / 4;
    result = (banks){0};
    // A lane's access is aligned: rows are whole accesses long.
    uint32_t columns = (stride + pad + words - 1) / words;
    result.pitch = columns * words;
    result.exchange =
        swizzle && columns ? power_of_two(columns, BANKS / words) : 1;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t row = lane / (LANES / rows), column = lane % (LANES / rows);
        column ^= row % result.exchange;
        result.word[lane] = row * result.pitch + column * words;
        access[lane] = ACCESS(SPACE_SHARED, store ? OP_STORE : OP_LOAD, width) |
                       4 * result.word[lane];
    }
    sim_shared_cost cost = sim_shared_request(
        access, ALL_LANES, sim_pattern_of(access, ALL_LANES));
    result.wavefronts = cost.wavefronts;
    result.least = cost.least;
    result.group_lanes = LANES / cost.least;
    for (uint32_t group = 0; group < cost.least; group++) {
        bank_queues queues;
        uint32_t lanes = ALL_LANES >> (LANES - result.group_lanes);
        result.taken[group] =
            fill_queues(access, lanes << group * result.group_lanes, words,
                        false, &queues, NULL);
        for (uint32_t bank = 0; bank < BANKS; bank++) {
            result.count[group][bank] = queues.count[bank];
            for (uint32_t i = 0; i < queues.count[bank]; i++)
                result.queue[group][bank][i] = queues.word[bank][i];
        }
    }
    return &result;
}
