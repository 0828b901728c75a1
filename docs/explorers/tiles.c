/**
 * @file tiles.c
 * @brief The tiles of the gemm chapters: who has what, what it takes, what is
 *        against the rules.
 *
 * chapters.h is made of the chapters' own lines: rules_NN() are the
 * static_asserts of gemm_NN, sizes_NN() its arrays, place_NN() its formulas for
 * the rows and columns of a thread. Wavefronts and the blocks on an SM are the
 * simulator's: cost.c.
 */
#include "../../common/simulator/runtime/cost.c"

#define MAX_EDGE 256
#define MAX_RULES 20
#define MAX_REGISTERS                                                          \
    255 /**< of a thread: an instruction has 8 bits for it                     \
         */

/** A rule that a chapter states. */
typedef struct {
    const char *condition;
    const char *text;
    uint32_t holds;
} rule_state;

/** The page reads this as an array of 32-bit numbers: keep the order. */
typedef struct {
    uint32_t broken; /**< rules */
    uint32_t rules;
    rule_state rule[MAX_RULES];
    uint32_t threads;    /**< of a block */
    uint32_t brought;    /**< elements of A and B that a thread brings */
    uint32_t sums;       /**< registers for them */
    uint32_t fragments;  /**< likewise */
    uint32_t on_the_way; /**< likewise */
    uint32_t registers;  /**< all of these: the least for a thread */
    uint32_t shared;     /**< bytes of a block */
    uint32_t blocks;     /**< on an SM, at most */
    uint32_t by_registers;
    uint32_t by_shared;
    uint32_t by_threads;
    uint32_t ffma;       /**< of a thread for each k */
    uint32_t words;      /**< that it reads for them from shared memory */
    uint32_t requests;   /**< in so many loads */
    uint32_t wavefronts; /**< which take so many, for the first warp */
    uint32_t flop;       /**< of a block for each k */
    uint32_t bytes;      /**< that it reads for them from global memory */
    uint32_t owner[MAX_EDGE * MAX_EDGE]; /**< thread of each element of C */
} tiles;

struct index {
    uint32_t x;
};

static int BM, BN, BK, TM, TN, WM, WN;
static tiles result;
static int place_row, place_col;

static void rule(bool holds, const char *condition, const char *text)
{
    result.rule[result.rules++] = (rule_state){condition, text, holds};
    result.broken += !holds;
}

/** Bytes of arrays, but for the first two. */
static void set_sizes(int threads, int brought, size_t sum, size_t fragments,
                      size_t next, size_t shared)
{
    result.threads = (uint32_t)threads;
    result.brought = (uint32_t)brought;
    result.sums = sum / sizeof(float);
    result.fragments = fragments / sizeof(float);
    result.on_the_way = next / sizeof(float);
    result.registers = result.sums + result.fragments + result.on_the_way;
    result.shared = shared;
}

static void set_place(int row, int col)
{
    place_row = row;
    place_col = col;
}

#define static_assert(condition, text) rule(condition, #condition, text)
#include "chapters.h"

/** A chapter, and how it reads its fragments. */
typedef struct {
    void (*rules)(void);
    void (*sizes)(void);
    void (*place)(struct index, int, int);
    int wide;    /**< elements of a load */
    bool a_rows; /**< As has rows of A, not columns */
} chapter;

static const chapter chapters[] = {
    {rules_05, sizes_05, place_05, 1, true},
    {rules_06, sizes_06, place_06, 4, false},
    {rules_07, sizes_07, place_07, 4, false},
    {rules_08, sizes_08, place_08, 4, false},
    {rules_09, sizes_09, place_09, 4, false},
    {rules_10, sizes_10, place_10, 4, false},
};

/** Add a load of the first warp: each lane at an element of its own. */
static void add_load(const uint32_t element[LANES], int wide)
{
    uint64_t access[LANES];
    uint32_t mask =
        result.threads < LANES ? (1u << result.threads) - 1 : ALL_LANES;
    for (uint32_t lane = 0; lane < LANES; lane++)
        access[lane] =
            ACCESS(SPACE_SHARED, OP_LOAD, 4 * wide) | 4 * element[lane];
    result.wavefronts +=
        sim_shared_request(access, mask, sim_pattern_of(access, mask))
            .wavefronts;
    result.requests++;
}

/** The loads of the fragments for one k. */
static void add_loads(const chapter *c)
{
    uint32_t element[LANES];
    for (int i = 0; i < TM; i += c->wide) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            c->place((struct index){lane}, i, 0);
            element[lane] = (uint32_t)(c->a_rows ? place_row * BK : place_row);
        }
        add_load(element, c->wide);
    }
    for (int j = 0; j < TN; j += c->wide) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            c->place((struct index){lane}, 0, j);
            element[lane] = (uint32_t)place_col;
        }
        add_load(element, c->wide);
    }
}

/** Note which thread has which element; the chapters' columns go in steps of
 *  what a load takes. */
static void find_owners(const chapter *c)
{
    for (uint32_t thread = 0; thread < result.threads; thread++)
        for (int i = 0; i < TM; i++)
            for (int j = 0; j < TN; j++) {
                c->place((struct index){thread}, i, j / c->wide * c->wide);
                int col = place_col + j % c->wide;
                result.owner[place_row * BN + col] = thread;
            }
}

/** @param number  of a chapter: 5 to 10 */
__attribute__((export_name("explore"))) const tiles *
explore(uint32_t number, int bm, int bn, int bk, int tm, int tn, int wm, int wn)
{
    const chapter *c = &chapters[number - 5];
    BM = bm, BN = bn, BK = bk, TM = tm, TN = tn, WM = wm, WN = wn;
    result = (tiles){0};
    c->rules();
    c->sizes();
    int threads = (int)result.threads, registers = (int)result.registers;
    result.by_threads = (uint32_t)sim_resident_blocks(threads, 1, 0);
    result.by_registers = (uint32_t)sim_resident_blocks(threads, registers, 0);
    result.by_shared = (uint32_t)sim_resident_blocks(threads, 1, result.shared);
    result.blocks =
        (uint32_t)sim_resident_blocks(threads, registers, result.shared);
    // What nvcc or the GPU refuses where the chapter leaves it to them.
    if (number < 9)
        rule(threads <= MAX_THREADS, "THREADS <= 1024", "the limit of a block");
    if (number < 8)
        rule(result.shared <= SHARED_DEFAULT, "shared bytes <= 48 << 10",
             "static shared memory");
    rule(registers <= MAX_REGISTERS, "registers <= 255",
         "an instruction has 8 bits for one; more are spilled to memory");
    rule(result.blocks > 0, "blocks on an SM >= 1", "one block must fit");
    result.ffma = (uint32_t)(TM * TN);
    result.words = (uint32_t)(TM + TN);
    result.flop = (uint32_t)(2 * BM * BN);
    result.bytes = (uint32_t)(4 * (BM + BN));
    if (result.broken)
        return &result;
    add_loads(c);
    find_owners(c);
    return &result;
}

/** Blocks on an SM, for the test. */
__attribute__((export_name("resident_blocks"))) int
resident_blocks(int threads, int registers, uint32_t shared)
{
    return sim_resident_blocks(threads, registers, shared);
}
