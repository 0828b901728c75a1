/**
 * @file plan.cuh
 * @brief Which tile: an estimate on the host.
 *
 * Needs launch_tile. docs/results/h200_tensor_shapes.txt says how well it
 * chooses.
 */

/** A kernel, and what an estimate needs to know of it. */
typedef struct {
    int rows, columns; /**< of C, of a block */
    int deep;          /**< of a step along K */
    int split, share;  /**< blocks of a cluster: see tile */
    void (*launch)(const gemm_bf16_problem *p);
} plan;

template <class T>
static plan plan_of()
{
    return plan{T::BM, T::BN, T::DEEP * BK, T::SPLIT, T::SHARE, launch_tile<T>};
}

static const plan plans[] = {
    // BM, warp groups, deep, split, stays
    plan_of<tile<16, 1, 2, 1, false>>(),  plan_of<tile<32, 1, 2, 1, false>>(),
    plan_of<tile<64, 1, 2, 1, false>>(),  plan_of<tile<64, 1, 2, 4, false>>(),
    plan_of<tile<64, 1, 2, 8, false>>(),  plan_of<tile<128, 1, 1, 1, false>>(),
    plan_of<tile<128, 2, 1, 2, false>>(), plan_of<tile<128, 2, 1, 4, false>>(),
    plan_of<tile<144, 2, 1, 1, false>>(), plan_of<tile<256, 2, 1, 1, false>>(),
    plan_of<tile<192, 2, 1, 1, true>>(),  plan_of<tile<224, 2, 1, 1, true>>(),
    plan_of<tile<256, 2, 1, 1, true>>(),
};

/**
 * Estimate what a plan takes (cycles of an SM), fitted to times on an H200.
 *
 * @param sms  multiprocessors of the GPU
 */
// [cycles]
static double cycles_of(const plan *x, const gemm_bf16_problem *p, int sms)
{
    double down = ceil_div(p->M, x->rows), size = (double)x->rows * x->columns;
    double across = ceil_div(p->N, x->columns * x->share);
    // Clusters at the same time: of four and eight some SMs are left over.
    int most = (x->split < 4 ? sms : sms * 10 / 11) / (x->split * x->share);
    double rounds = ceil(down * across / most);
    double steps = ceil_div(ceil_div(p->K, x->deep), x->split) * x->deep / BK;
    double brought = (x->rows / x->share + x->columns) * BK * 2; // bytes
    if (p->K % 64 != 0 || p->N % 64 != 0)
        brought *= 1.7; // rows that begin in the middle of a line
    double step = max(size / 32 + 180, brought / 70);
    double first = 3900, last = size / x->split / 16; // tile comes; C leaves
    double bytes =
        2.0 * ((double)p->M * p->K + (double)p->M * p->N +
               (double)p->K * p->N * (down > 1 ? 2 : 1)); // B comes again
    double cycles = rounds * (first + steps * step + last);
    if (x->share > 1) // C leaves under the products of the next tile
        cycles = first + rounds * steps * step + last + 2500;
    if (x->split > 1)
        cycles += rounds * size / 2; // parts meet
    return max(cycles, first + bytes / 1600);
}
// [cycles]

/** The plan that should take the fewest cycles. */
static const plan *best_plan(const gemm_bf16_problem *p)
{
    int sms = device_attribute(cudaDevAttrMultiProcessorCount);
    const plan *best = NULL;
    for (const plan &x : plans)
        if ((x.share > 1 || ceil_div(p->M, x.rows) <= MAX_GRID_Y) &&
            (!best || cycles_of(&x, p, sms) < cycles_of(best, p, sms)))
            best = &x;
    return best;
}
