/**
 * @file l1.c
 * @brief The L1's law: three stages, and the slowest one sets the pace.
 *
 * A request of a warp passes them one after the other, while other requests
 * are in the other two:
 *
 *   tags    four banks, each looks up one line of 128 bytes a cycle: the most
 *           different lines in one bank
 *   data    32 banks of 4 bytes: the most different words in one bank, over
 *           the whole warp (shared memory serves wide accesses in parts)
 *   return  128 bytes a cycle go to the registers: a full warp takes 1, 2, 4
 *           cycles for 4, 8, 16 bytes a lane
 *
 * The bank of a line is two parities of its number. They were found by
 * measurement on an H200; the README says what was measured and what was not.
 */
#include "cost.h"

#define LINE_SHIFT 7 /**< 128 bytes */
#define LINE (1 << LINE_SHIFT)
#define WORD_SHIFT 2 /**< 4 bytes */
#define WORD (1 << WORD_SHIFT)
#define DATA_BANKS 32

/** The bits of a line's number whose parities are its bank. */
#define HIGH_PARITY 0x1bad5dau
#define LOW_PARITY 0x1ef7ab5u

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* ---- tags ---------------------------------------------------------------- */

/** Lines in each of the four tag banks: 8 bits for each bank. */
typedef uint32_t tag_counts;

/** Where the bank of a line has its bits. */
static inline int tag_shift(uint64_t line)
{
    int high = __builtin_parity((unsigned)line & HIGH_PARITY);
    int low = __builtin_parity((unsigned)line & LOW_PARITY);
    return 8 * (2 * high + low);
}

/** One line more. */
static inline tag_counts add_line(tag_counts tags, uint64_t line)
{
    return tags + (1u << tag_shift(line));
}

/** The most lines in one bank. */
static unsigned tag_wavefronts(tag_counts tags)
{
    return larger(larger(tags & 255, tags >> 8 & 255),
                  larger(tags >> 16 & 255, tags >> 24));
}

/* ---- one request --------------------------------------------------------- */

/** All bytes from @p first to @p last, by one lane or by neighbours. */
static sim_l1_cost cost_of_range(uint64_t first, uint64_t last, unsigned bytes)
{
    tag_counts tags = 0;
    for (uint64_t n = first >> LINE_SHIFT; n <= last >> LINE_SHIFT; n++)
        tags = add_line(tags, n);
    unsigned words = bytes > WORD ? bytes / WORD : 1;
    return (sim_l1_cost){.sectors = (unsigned)((last >> SECTOR_SHIFT) -
                                               (first >> SECTOR_SHIFT) + 1),
                         .tags = tag_wavefronts(tags),
                         .data = last - first < bytes ? 1 : words};
}

/** A line for each lane, the lanes @p step bytes apart: 32 words that lie
 *  g banks apart meet g in a bank, g = gcd(step, banks). */
static sim_l1_cost cost_of_lines(uint64_t first, int64_t step)
{
    tag_counts tags = 0;
    for (unsigned l = 0; l < LANES; l++)
        tags = add_line(tags, (first + l * (uint64_t)step) >> LINE_SHIFT);
    unsigned words = (unsigned)(step / WORD) | DATA_BANKS;
    return (sim_l1_cost){
        .sectors = LANES, .tags = tag_wavefronts(tags), .data = words & -words};
}

/** The addresses of the active lanes, in ascending order. @return how many */
static unsigned sort_addresses(const uint64_t access[LANES], uint32_t mask,
                               uint64_t sorted[LANES])
{
    unsigned count = 0;
    FOR_EACH_LANE (l, mask) {
        uint64_t address = access_address(access[l]);
        unsigned i = count++;
        for (; i > 0 && sorted[i - 1] > address; i--)
            sorted[i] = sorted[i - 1];
        sorted[i] = address;
    }
    return count;
}

/** How many different ones a request asks each bank for. */
typedef struct {
    tag_counts lines;
    uint8_t words[DATA_BANKS];
} bank_counts;

/** Any addresses in ascending order. */
static sim_l1_cost cost_of_addresses(const uint64_t *address, unsigned count,
                                     unsigned bytes, bank_counts *banks)
{
    unsigned sectors = 0, data = 0, words = bytes > WORD ? bytes / WORD : 1;
    *banks = (bank_counts){0};
    uint64_t sector = UINT64_MAX, line = UINT64_MAX, word = UINT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        if (address[i] >> WORD_SHIFT == word)
            continue;
        word = address[i] >> WORD_SHIFT;
        for (unsigned w = 0; w < words; w++)
            data = larger(data, ++banks->words[(word + w) % DATA_BANKS]);
        sectors += address[i] >> SECTOR_SHIFT != sector;
        sector = address[i] >> SECTOR_SHIFT;
        if (address[i] >> LINE_SHIFT != line)
            banks->lines = add_line(banks->lines, address[i] >> LINE_SHIFT);
        line = address[i] >> LINE_SHIFT;
    }
    return (sim_l1_cost){
        .sectors = sectors, .tags = tag_wavefronts(banks->lines), .data = data};
}

sim_l1_cost sim_l1_request(const uint64_t access[LANES], uint32_t mask,
                           sim_pattern pattern)
{
    unsigned lane = (unsigned)__builtin_ctz(mask);
    unsigned bytes = access_bytes(access[lane]);
    uint64_t first = access_address(access[lane]);
    int64_t step = (int64_t)(access[1] - access[0]);
    sim_l1_cost cost;
    if (pattern == PATTERN_SAME) {
        cost = cost_of_range(first, first + bytes - 1, bytes);
    } else if (pattern == PATTERN_CONSECUTIVE) {
        cost = cost_of_range(first, first + LANES * bytes - 1, bytes);
    } else if (pattern == PATTERN_STRIDED && (step >= LINE || step <= -LINE) &&
               step % WORD == 0) {
        cost = cost_of_lines(first, step);
    } else {
        uint64_t sorted[LANES];
        bank_counts banks;
        unsigned count = sort_addresses(access, mask, sorted);
        cost = cost_of_addresses(sorted, count, bytes, &banks);
    }
    cost.cycles = larger(larger(cost.tags, cost.data), bytes / WORD);
    return cost;
}

void sim_l1_turns(const uint64_t access[LANES], uint32_t mask,
                  uint8_t turn[LANES][LANE_WORDS])
{
    tag_counts tags = 0;
    FOR_EACH_LANE (l, mask) {
        uint64_t line = access_address(access[l]) >> LINE_SHIFT;
        uint32_t same = 0;
        FOR_EACH_LANE (other, mask & ((1u << l) - 1))
            if (access_address(access[other]) >> LINE_SHIFT == line)
                same = other + 1;
        turn[l][0] =
            same ? turn[same - 1][0] : (uint8_t)(tags >> tag_shift(line) & 255);
        tags = same ? tags : add_line(tags, line);
    }
}
