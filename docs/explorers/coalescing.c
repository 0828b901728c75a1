/**
 * @file coalescing.c
 * @brief One global load of a warp: where its lanes read, what that costs.
 *
 * The cost is the simulator's: l1.c.
 */
#include "../../simulator/runtime/count/cost.c"
#include "../../simulator/runtime/count/l1.c"

#define TAG_BANKS 4

/** The page reads this as an array of 32-bit numbers: keep the order. */
typedef struct {
    uint32_t sectors;
    uint32_t tags;   /**< tag wavefronts */
    uint32_t data;   /**< data wavefronts */
    uint32_t cycles; /**< of the slowest stage */
    uint32_t lines_of[TAG_BANKS];
    uint32_t words_of[DATA_BANKS];
    uint32_t address[LANES];
    uint32_t tag_bank[LANES]; /**< of the line at that address */
} coalescing;

/** The bank whose count one line more raises. */
static uint32_t tag_bank(uint32_t line)
{
    return (uint32_t)__builtin_ctz(add_line(0, line)) / 8;
}

/** Lane l reads element offset + l * pitch of an array at address 0. */
__attribute__((export_name("explore"))) const coalescing *
explore(uint32_t bytes, uint32_t pitch, uint32_t offset, uint32_t mask)
{
    static coalescing result;
    uint64_t access[LANES], sorted[LANES];
    result = (coalescing){0};
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t address = (offset + lane * pitch) * bytes;
        access[lane] = ACCESS(SPACE_GLOBAL, OP_LOAD, bytes) | address;
        result.address[lane] = address;
        result.tag_bank[lane] = tag_bank(address >> LINE_SHIFT);
    }
    if (mask == 0)
        return &result;
    sim_l1_cost cost =
        sim_l1_request(access, mask, sim_pattern_of(access, mask));
    result.sectors = cost.sectors;
    result.tags = cost.tags;
    result.data = cost.data;
    result.cycles = cost.cycles;
    bank_counts banks;
    cost_of_addresses(sorted, sort_addresses(access, mask, sorted), bytes,
                      &banks);
    for (uint32_t bank = 0; bank < TAG_BANKS; bank++)
        result.lines_of[bank] = banks.lines >> 8 * bank & 255;
    for (uint32_t bank = 0; bank < DATA_BANKS; bank++)
        result.words_of[bank] = banks.words[bank];
    return &result;
}
