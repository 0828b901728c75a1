/**
 * @file plan.cuh
 * @brief Which tile, and how many blocks share tiles: an estimate on the host.
 *
 * Needs gemm_kernel. docs/experiments/stream_k.md says how well it chooses.
 */
/** A kernel and what a plan must know of it. */
typedef struct {
    void (*kernel)(gemm_problem p, int whole, int set);
    int BM, BN, BK; /**< tile of C of a block, step along K */
    int threads;    /**< of a block */
    int per_sm;     /**< blocks that an SM has registers for */
    double rate;    /**< share of the 128 FMA a cycle that it reaches */
} kind;

/** How a problem is shared out. */
typedef struct {
    const kind *with; /**< the tile */
    int64_t whole;    /**< tiles that one block each computes */
    int64_t shared;   /**< tiles that blocks share */
    int64_t blocks;   /**< of the grid */
    double cycles;    /**< of an SM, estimated */
} plan;

/** The kernel for these sizes, with all that a plan must know of it. */
template <class T>
static kind kind_of(double rate)
{
    return kind{gemm_kernel<T>, T::BM,     T::BN, T::BK,
                T::THREADS,     T::BLOCKS, rate};
}

// The rates, as the other constants of the plan, fit times on an H200 and an
// H100.
static const kind kinds[] = {
    kind_of<tile<large>>(0.87),  kind_of<tile<middle>>(0.885),
    kind_of<tile<wide>>(0.885),  kind_of<tile<small>>(0.59),
    kind_of<tile<narrow>>(0.57),
};

/** a / b, rounded up. */
static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// [plan]
/** Estimate what @p blocks blocks take that share all tiles but @p whole. */
static plan plan_for(const gemm_problem *p, const kind *k, int sms,
                     int64_t whole, int64_t blocks)
{
    int64_t steps = ceil_div(p->K, k->BK);
    int64_t tiles = (int64_t)ceil_div(p->M, k->BM) * ceil_div(p->N, k->BN);
    plan x = {k, whole, tiles - whole, blocks, 0};
    // [busiest]
    int64_t busiest =
        div_up(whole, blocks) * steps + div_up(x.shared * steps, blocks);
    double at_once = (double)div_up(blocks, sms);
    double size = (double)k->BM * k->BN;
    // Of several small blocks the last one is alone, and waits now and then.
    x.cycles = (at_once + (k->per_sm > 1 ? 0.4 : 0)) * (double)busiest * k->BK *
               size / 128 / k->rate;
    // [busiest]
    x.cycles += 0.1 * at_once * size * (double)div_up(whole, blocks); // into C
    if (x.shared > 0) // store the parts, tell, wait, load those of the team
        x.cycles += 6500 + 110.0 * (double)blocks / (double)x.shared +
                    0.5 * at_once * size * (blocks % x.shared ? 2 : 1);
    return x;
}
// [plan]

/** Call @p take with every plan for a problem: at most @p fit blocks of this
 *  kind on each of @p sms SMs, if they share tiles. */
template <class TAKE>
static void each_plan(const gemm_problem *p, const kind *k, int sms, int fit,
                      TAKE take)
{
    int64_t steps = ceil_div(p->K, k->BK);
    int64_t tiles = (int64_t)ceil_div(p->M, k->BM) * ceil_div(p->N, k->BN);
    take(plan_for(p, k, sms, tiles, tiles)); // nothing is shared
    for (int64_t parts = 2; parts * tiles <= (int64_t)fit * sms; parts++)
        if (parts <= steps) // of each tile
            take(plan_for(p, k, sms, 0, parts * tiles));
    for (int64_t blocks = sms; blocks <= (int64_t)fit * sms; blocks += sms)
        if (tiles % blocks * steps >= blocks) // what fills no round
            take(plan_for(p, k, sms, tiles / blocks * blocks, blocks));
}

/** How many blocks of a kernel run on an SM at the same time. */
static int blocks_that_fit(const kind *k)
{
    int fit;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, k->kernel,
                                                             k->threads, 0));
    return min(fit, k->per_sm);
}

/** The plan that should take the fewest cycles. */
static plan best_plan(const gemm_problem *p)
{
    plan best = {0};
    int sms = min(device_attribute(cudaDevAttrMultiProcessorCount), MAX_SMS);
    for (const kind &k : kinds)
        each_plan(p, &k, sms, blocks_that_fit(&k), [&](plan x) {
            if (!best.with || x.cycles < best.cycles)
                best = x;
        });
    return best;
}
