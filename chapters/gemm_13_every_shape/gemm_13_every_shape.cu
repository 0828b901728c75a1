/**
 * @file gemm_13_every_shape.cu
 * @brief GEMM step 13: a tile for each shape, and none for a vector.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  five tiles instead of one. The host estimates how long each tile,
 *          and each way to share it, would take, and chooses. C of one row or
 *          one column has a kernel of its own, without tiles.
 * Reason:  words for 1,000 multiply-adds, and blocks of 256 x 256 on 132 SMs:
 *            128 x 256    12 words     2 blocks
 *             32 x 64     47 words    32 blocks
 * Run:     make chapter=gemm_13 run
 * Measure: make chapter=gemm_13 run args="--M 1 --N 8192 --K 8192"
 * Limit:   the FMA units where C is large. What is faster rounds the operands
 *          and takes tensor cores.
 */

#include <atomic>

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define MAX_SMS 160  /**< of a GPU; of more only so many share tiles */
#define MAX_BLOCKS 4 /**< of an SM, at the same time */
#define IN_FLIGHT 8  /**< loads of four floats before a thread adds */
#define WORKSPACES 2 /**< streams that may run a GEMM at the same time */

#include "tile.cuh"

/* ---- kernel ------------------------------------------------------------- */

/** What the blocks of one launch leave for each other. */
typedef struct {
    /** Parts of tiles, times alpha. A block has two at most: [1] of a tile that
     *  it begins, [0] of one that another block has begun. */
    float parts[MAX_SMS * 2 * 128 * 256];
    /** For each shared tile: blocks that have stored their part, and then those
     *  that have seen that all have. The last of these makes it 0 again. */
    unsigned count[MAX_SMS * MAX_BLOCKS];
} workspace;

static __device__ workspace workspaces[WORKSPACES];

/** The blocks that have parts of a tile: the first, and how many. */
typedef struct {
    int first, blocks;
} team;

/** The block that has step @p step of a line of @p line steps. */
static __device__ int block_of(int64_t line, int64_t step)
{
    return (int)(((step + 1) * gridDim.x - 1) / line);
}

/** The team of shared tile @p t. */
static __device__ team team_of(int64_t line, int steps, int t)
{
    int first = block_of(line, (int64_t)t * steps);
    int last = block_of(line, (int64_t)(t + 1) * steps - 1);
    return team{first, last - first + 1};
}

/** Where block @p block leaves its part of a tile. */
template <class T>
static __device__ float *part_of(workspace *w, int block, bool begins)
{
    return w->parts + (2 * block + begins) * T::BM * T::BN;
}

/**
 * Add up the parts of a tile. The team takes turns: of n blocks each does every
 * n-th group of sums, one group being four of each thread.
 *
 * @param row,col  first row and column of the tile
 * @param of       its team
 */
template <class T>
static __device__ void add_parts(const gemm_problem &p, workspace *w, int row,
                                 int col, team of)
{
    const int wide = T::FOURS < IN_FLIGHT ? 1 : T::FOURS / IN_FLIGHT; // groups
    const int ahead = IN_FLIGHT / wide;                               // parts
    for (int q = blockIdx.x - of.first; q < T::FOURS; q += wide * of.blocks) {
        float sum[wide][4] = {{0.0f}};
        // [add]
#pragma unroll ahead
        for (int b = 0; b < of.blocks; b++) { // in the order of K
            const float *part = part_of<T>(w, of.first + b, b == 0);
#pragma unroll
            for (int u = 0; u < wide; u++) {
                int group = q + u * of.blocks;
                if (group < T::FOURS)
                    add4(sum[u], part + (group * T::THREADS + threadIdx.x) * 4);
            }
        }
        // [add]
#pragma unroll
        for (int u = 0; u < wide; u++)
            if (q + u * of.blocks < T::FOURS)
                T::store(p, row, col, q + u * of.blocks, 1.0f, sum[u]);
    }
}

/**
 * A block computes its piece of the line, then every gridDim.x-th of the tiles
 * that are not shared, then adds up with its teams.
 *
 * @param p      a GEMM
 * @param whole  tiles of C that one block computes; the steps along K of all
 *               others are the line
 * @param set    the workspace; no other launch may use it at the same time
 *
 * Launch: block (T::THREADS); grid: at least as many as shared tiles, and if
 * there are any, no more than run at the same time: blocks wait for each other.
 */
// [kernel]
template <class T>
static __global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    gemm_kernel(gemm_problem p, int whole, int set)
{
    workspace *w = &workspaces[set];
    int row, col; // of the tile

    // [line]
    int steps = ceil_div(p.K, T::BK); // of a tile
    int tiles = ceil_div(p.M, T::BM) * ceil_div(p.N, T::BN);
    int64_t line = (int64_t)(tiles - whole) * steps;
    int64_t first = line * blockIdx.x / gridDim.x;
    int64_t last = line * (blockIdx.x + 1) / gridDim.x;
    // [line]
    int64_t step = first;
    for (int own = blockIdx.x; step < last || own < whole;) {
        // [work]
        int number = own, begin = 0, end = steps; // a whole tile, or
        if (step < last) {                        // a part of a shared one
            number = whole + (int)(step / steps);
            begin = (int)(step % steps);
            end = (int)min((int64_t)steps, begin + last - step);
            step += end - begin;
        } else {
            own += gridDim.x;
        }
        // [work]
        T::corner(p.M, p.N, number, &row, &col);
        int rows = p.M - row, cols = p.N - col; // that C has from there on
        float sum[T::TM][T::TN] = {{0.0f}};
        T::multiply(sum, p, row, col, begin * T::BK,
                    end < steps ? end * T::BK : p.K);
        // [store]
        bool all = end - begin == steps;
        float *part = part_of<T>(w, blockIdx.x, begin == 0);
#pragma unroll
        for (int q = 0; q < T::FOURS; q++) {
            int r, c;
            T::place(q, &r, &c);
            float *to = part + (q * T::THREADS + threadIdx.x) * 4;
            if (all)
                to = p.C + (int64_t)(row + r) * p.ldc + col + c;
            int valid = !all ? 4 : r < rows ? cols - c : 0;
            update4(to, valid, p.alpha, T::four(sum, q), all ? p.beta : 0.0f);
        }
        // [store]
        if (all)
            continue;
        // [tell]
        int t = number - whole;
        team of = team_of(line, steps, t);
        __syncthreads(); // all of the block have stored before one says so
        if (threadIdx.x == 0) {
            __threadfence(); // the part is seen before the count
            atomicInc(&w->count[t], 2 * of.blocks - 1);
        }
        // [tell]
    }

    for (int t = (int)(first / steps); (int64_t)t * steps < last; t++) {
        team of = team_of(line, steps, t);
        if (of.blocks == 1)
            continue; // this block has computed all of it
        // [wait]
        if (threadIdx.x == 0) {
            while (*(volatile unsigned *)&w->count[t] < (unsigned)of.blocks)
                __nanosleep(100);
            __threadfence(); // the count is seen before the parts
            atomicInc(&w->count[t], 2 * of.blocks - 1);
        }
        __syncthreads(); // all parts are there before anybody reads them
        // [wait]
        T::corner(p.M, p.N, whole + t, &row, &col);
        add_parts<T>(p, w, row, col, of);
    }
}
// [kernel]

#include "gemv.cuh"
#include "plan.cuh"

/* ---- launch ------------------------------------------------------------- */

/**
 * The workspace of the thread that calls, for all of its launches. They are in
 * one stream, that of the thread, so they run one after the other.
 */
// [workspace]
static int workspace_of_thread()
{
    static std::atomic<int> taken;
    static thread_local int mine = taken++;
    REQUIRE(mine < WORKSPACES,
            "%d threads launch GEMMs that share tiles; there are workspaces "
            "for %d",
            mine + 1, WORKSPACES);
    return mine;
}
// [workspace]

/** Enqueue one GEMM as planned. */
static void launch_plan(const gemm_problem *p, const plan *x)
{
    REQUIRE(x->whole + x->shared <= INT32_MAX,
            "--M %d --N %d: at most %d tiles of C", p->M, p->N, INT32_MAX);
    dim3 grid((unsigned)x->blocks), block(x->with->threads);
    void (*gemm_kernel)(gemm_problem, int, int) = x->with->kernel;
    int whole = (int)x->whole;
    if (x->shared == 0) {
        gemm_kernel<<<grid, block>>>(*p, whole, 0);
    } else { // all blocks at the same time, or none
        int set = workspace_of_thread();
        void *args[] = {(void *)p, &whole, &set};
        CUDA_CHECK(
            cudaLaunchCooperativeKernel(gemm_kernel, grid, block, args, 0, 0));
    }
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

/** Enqueue a product with one row or one column: as many blocks as run at the
 *  same time, if K is long enough for them. */
static void launch_gemv(const gemm_problem *p)
{
    int sms = min(device_attribute(cudaDevAttrMultiProcessorCount), MAX_SMS);
    bool column = p->N == 1;
    int tiles = column ? ceil_div(p->M, GEMV_ROWS) : ceil_div(p->N, GEMV_COLS);
    int steps = ceil_div(p->K, column ? 128 * GEMV_WARPS : 8 * GEMV_WARPS);
    int slices = max(1, min(sms * MAX_BLOCKS / tiles, steps));
    int warps = column ? min(GEMV_WARPS, ceil_div(p->K, 128)) : GEMV_WARPS;
    dim3 grid(tiles, slices), block(32 * warps);
    void (*gemv_kernel)(gemm_problem, int) =
        column ? gemv_column_kernel : gemv_row_kernel;
    int set = slices > 1 ? workspace_of_thread() : 0;
    gemv_kernel<<<grid, block>>>(*p, set);
    CHECK_LAUNCH(gemv_kernel, grid, block, 0);
}

/** Enqueue one GEMM by the plan that should take the fewest cycles. */
static void launch(const gemm_problem *p)
{
    if (p->M == 1 || p->N == 1) {
        launch_gemv(p);
    } else {
        plan best = best_plan(p);
        launch_plan(p, &best);
    }
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_main(argc, argv, "gemm_13_every_shape", launch);
}
