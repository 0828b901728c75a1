/**
 * @file tiles.c
 * @brief The tiles of the gemm chapters: who has what, what it takes, what is
 *        against the rules.
 *
 * The formulas are those of the chapters; tests/explorers.mjs holds them
 * against the chapters' own lines and counts. Wavefronts and the blocks on an
 * SM are the simulator's: cost.c.
 */
#include "../../simulator/runtime/count/cost.c"

#define MAX_EDGE 256
#define MAX_RULES 20
#define PUT_AT 5          /**< of gemm_09 and gemm_10 */
#define MAX_REGISTERS 255 /**< of a thread: 8 bits of an instruction */

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

static int number, BM, BN, BK, TM, TN; // number: of a chapter
static tiles result;

static void rule(bool holds, const char *condition, const char *text)
{
    result.rule[result.rules++] = (rule_state){condition, text, holds};
    result.broken += !holds;
}

/** State a rule; its text is what the page shows, and the test compares. */
#define RULE(condition, text) rule(condition, #condition, text)

/** gemm_05: a thread brings a word of each row that it computes. */
static void rules_05(void)
{
    RULE(BM == TM * BK, "BK is the edge of a block of threads");
    RULE(BN == TN * BK, "BK is the edge of a block of threads");
}

/** The others: four words at a time, and eight columns in the source. */
static void rules_06(int THREADS)
{
    int B_ROWS = 4 * THREADS / BN;
    RULE(TN == 8, "the kernel loads two float4 of B");
    RULE(TM % 4 == 0, "it loads A in float4");
    RULE(BM % TM == 0 && BN % TN == 0, "threads share the tile");
    RULE(THREADS == 2 * BM, "a thread brings half a row of 8 steps of A");
    rule(B_ROWS > 0 && BK % 8 == 0 && BK % B_ROWS == 0,
         "BK % 8 == 0 && BK % B_ROWS == 0", "all bring as much");
    if (number >= 9)
        RULE(PUT_AT < BK, "the next tiles are put");
    if (number == 10)
        RULE(BN / TN % 8 == 0 && BM / TM % 4 == 0,
             "a warp is 4 rows of 8 threads");
}

/** State the rules, and what a block takes. */
static void set_sizes(void)
{
    int threads = number == 5 ? BK * BK : BM / TM * (BN / TN);
    if (number == 5)
        rules_05();
    else
        rules_06(threads);
    int buffers = number < 8 ? 1 : 2, padding = number < 7 ? 0 : 4;
    result.threads = (uint32_t)threads;
    result.brought = threads ? (uint32_t)(BK * (BM + BN) / threads) : 0;
    result.sums = (uint32_t)(TM * TN);
    result.fragments = (uint32_t)((number < 10 ? 1 : 2) * (TM + TN));
    result.on_the_way = number < 8 ? 0 : result.brought;
    result.registers = result.sums + result.fragments + result.on_the_way;
    result.shared = (uint32_t)(4 * buffers * BK * (BM + padding + BN));
}

/** Row of the tile of C of element i of a thread. */
static int row_of(uint32_t thread, int i)
{
    if (number == 5)
        return (int)thread / BK + i * BK;
    if (number < 10)
        return (int)thread / (BN / TN) * TM + i;
    int warp = (int)thread / 32, lane = (int)thread % 32;
    return (warp / (BN / TN / 8) * 4 + lane / 16 * 2 + lane % 2) * TM + i;
}

/** Column of the tile of C of element j of a thread. */
static int column_of(uint32_t thread, int j)
{
    if (number == 5)
        return (int)thread % BK + j * BK;
    int x = (int)thread % (BN / TN);
    if (number == 6)
        return x * 8 + j;
    int warp = (int)thread / 32, lane = (int)thread % 32;
    if (number == 10)
        x = warp % (BN / TN / 8) * 8 + lane / 2 % 8;
    return x * 4 + j % 4 + j / 4 * (BN / 2);
}

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
static void add_loads(void)
{
    uint32_t element[LANES];
    int wide = number == 5 ? 1 : 4; // elements of a load
    for (int i = 0; i < TM; i += wide) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            element[lane] =
                (uint32_t)(row_of(lane, i) * (number == 5 ? BK : 1));
        add_load(element, wide);
    }
    for (int j = 0; j < TN; j += wide) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            element[lane] = (uint32_t)column_of(lane, j);
        add_load(element, wide);
    }
}

/** Note which thread has which element. */
static void find_owners(void)
{
    for (uint32_t thread = 0; thread < result.threads; thread++)
        for (int i = 0; i < TM; i++)
            for (int j = 0; j < TN; j++)
                result.owner[row_of(thread, i) * BN + column_of(thread, j)] =
                    thread;
}

/** @param chapter  5 to 10 */
__attribute__((export_name("explore"))) const tiles *
explore(int chapter, int bm, int bn, int bk, int tm, int tn)
{
    number = chapter, BM = bm, BN = bn, BK = bk, TM = tm, TN = tn;
    result = (tiles){0};
    set_sizes();
    int threads = (int)result.threads, registers = (int)result.registers;
    result.by_threads = (uint32_t)sim_resident_blocks(threads, 1, 0);
    result.by_registers = (uint32_t)sim_resident_blocks(threads, registers, 0);
    result.by_shared = (uint32_t)sim_resident_blocks(threads, 1, result.shared);
    result.blocks =
        (uint32_t)sim_resident_blocks(threads, registers, result.shared);
    // What nvcc or the GPU refuses.
    rule(threads <= MAX_THREADS, "threads <= 1024", "the limit of a block");
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
    add_loads();
    find_owners();
    return &result;
}
