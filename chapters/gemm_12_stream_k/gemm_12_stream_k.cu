/**
 * @file gemm_12_stream_k.cu
 * @brief GEMM step 12: work shared out so that every SM has as much.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  the host plans: which of three tiles, and how many of them one block
 *          computes alone. The steps along K of all others are one line, of
 *          which every block takes an equal part. Blocks that have parts of one
 *          tile add up their sums together, in the order of K.
 * Reason:  132 SMs, a tile of 128 x 256 each at a time. What the busiest one
 *          does, in tiles, and what all do on average:
 *            4096 x 4096 x 4096     512 tiles     4     3.88
 *            1024 x 1024 x 1024      32 tiles     1     0.24
 *             512 x  512 x 8192       8 tiles     1     0.06
 * Run:     make chapter=gemm_12 run
 * Measure: make chapter=gemm_12 run args="--M 512 --N 512 --K 8192"
 * Limit:   the FMA units themselves. What is faster rounds the operands and
 *          takes tensor cores.
 */

#include "gemm.h"

/* ---- parameters --------------------------------------------------------- */

#define MAX_SMS 160  /**< of a GPU; of more only so many share tiles */
#define MAX_BLOCKS 4 /**< of an SM, at the same time */
#define IN_FLIGHT 8  /**< float4 that a thread asks for before it adds */
#define STORED_BY_ALL 0x80000000u /**< bit 31 of `stored` */

#include "tile.cuh"

/* ---- kernel ------------------------------------------------------------- */

/** Partial sums times alpha: of each block two tiles at most. */
static __device__ float4 partial_sums[MAX_SMS * 2 * 128 * 256 / 4];

/** For each shared tile: STORED_BY_ALL changes when all its parts are stored.
 *  Nothing must be cleared before a launch. */
static __device__ unsigned stored[MAX_SMS * MAX_BLOCKS];

/** The block that has step @p step of a line of @p line steps. */
static __device__ int block_of(int64_t line, int64_t step)
{
    return (int)(((step + 1) * gridDim.x - 1) / line);
}

/** The blocks that have parts of shared tile @p t: the first, and how many. */
static __device__ int team(int64_t line, int steps, int64_t t, int *first)
{
    *first = block_of(line, t * steps);
    return block_of(line, (t + 1) * steps - 1) - *first + 1;
}

/**
 * A block computes its part of the line, then every gridDim.x-th of the tiles
 * that are not shared, then a part of each sum that it has shares in.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K], rows 16-byte aligned, zeros in the padding
 * @param B,ldb        [K x N], likewise
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N], rows 16-byte aligned
 * @param ldc          leading dimension of C
 * @param whole        tiles of C that one block computes; the steps along K of
 *                     all behind them are the line
 *
 * Launch: block (T::THREADS); grid: at least as many as shared tiles, and if
 * there are any, no more than run at the same time: blocks wait for each other.
 */
// [kernel]
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES,
          int BLOCKS>
__global__ void __launch_bounds__(BM / TM * (BN / TN), BLOCKS)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc,
                int whole)
{
    typedef tile<BM, BN, BK, WM, WN, TM, TN, STAGES> T;
    static_assert(BLOCKS <= MAX_BLOCKS && BLOCKS * BM * BN <= 128 * 256,
                  "room for partial sums");
    const int fours = T::FOURS * T::THREADS; // float4 of a tile
    int row, col, tile_row, tile_col;

    // [work]
    int steps = ceil_div(K, BK); // of a tile
    int64_t line = (int64_t)(ceil_div(M, BM) * ceil_div(N, BN) - whole) * steps;
    int64_t first = line * blockIdx.x / gridDim.x;
    int64_t last = line * (blockIdx.x + 1) / gridDim.x;
    int64_t step = first;
    for (int own = blockIdx.x; step < last || own < whole;) {
        int number = own, begin = 0, end = steps;
        float4 *part = partial_sums + (2 * blockIdx.x + (step > first)) * fours;
        if (step < last) {
            number = whole + (int)(step / steps);
            begin = (int)(step % steps);
            end = (int)min((int64_t)steps, begin + last - step);
            step += end - begin;
        } else {
            own += gridDim.x;
        }
        // [work]
        T::corner(M, N, number, &tile_row, &tile_col);
        int rows = M - tile_row, cols = N - tile_col;
        float sum[TM][TN] = {{0.0f}};
        T::multiply(sum, A + (int64_t)tile_row * lda + begin * BK, lda,
                    B + (int64_t)(begin * BK) * ldb + tile_col, ldb, rows, cols,
                    (end < steps ? end * BK : K) - begin * BK);
#pragma unroll
        for (int q = 0; q < T::FOURS; q++) {
            const float *s = &sum[q / (TN / 4)][q % (TN / 4) * 4];
            T::place(threadIdx.x, q, &row, &col);
            if (end - begin < steps) // times alpha now: see Pitfalls
                part[q * T::THREADS + threadIdx.x] = make_float4(
                    alpha * s[0], alpha * s[1], alpha * s[2], alpha * s[3]);
            else
                update4(C + (int64_t)(tile_row + row) * ldc + tile_col + col,
                        row < rows ? cols - col : 0, alpha, s, beta);
        }
    }
    if (first == last)
        return;

    // [tell]
    __syncthreads(); // all of the block have stored before one says so
    unsigned told[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int64_t t = first / steps + i;
        int head, count = team(line, steps, t, &head);
        if (t * steps < last && count > 1 && threadIdx.x == 0) {
            __threadfence(); // the sums are seen before the count
            told[i] = atomicAdd(&stored[t], (int)blockIdx.x == head
                                                ? STORED_BY_ALL - (count - 1)
                                                : 1);
        }
    }
    // [tell]
    // [add]
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int64_t t = first / steps + i;
        int head, count = team(line, steps, t, &head);
        if (t * steps >= last || count == 1)
            continue;
        if (threadIdx.x == 0) {
            while (((*(volatile unsigned *)&stored[t] ^ told[i]) &
                    STORED_BY_ALL) == 0)
                __nanosleep(100);
            __threadfence(); // the count is seen before the sums
        }
        __syncthreads(); // all parts are stored before anybody reads them
        T::corner(M, N, whole + (int)t, &tile_row, &tile_col);
        int me = blockIdx.x - head;
        int end = fours * (me + 1) / count;
        // The first block's part of this tile is its second tile, mostly.
        bool second = line * head / gridDim.x < t * steps;
        const int wide = T::FOURS < IN_FLIGHT ? 1 : T::FOURS / IN_FLIGHT;
        const int ahead = IN_FLIGHT / wide;
        for (int e = fours * me / count + threadIdx.x; e < end;
             e += wide * T::THREADS) {
            float s[wide][4] = {{0.0f}};
#pragma unroll ahead
            for (int o = 0; o < count; o++) {
                const float4 *part =
                    partial_sums +
                    (2 * (head + o) + (o == 0 && second)) * fours;
#pragma unroll
                for (int u = 0; u < wide; u++)
                    if (e + u * T::THREADS < end) {
                        float4 x = __ldcg(part + e + u * T::THREADS);
                        s[u][0] += x.x;
                        s[u][1] += x.y;
                        s[u][2] += x.z;
                        s[u][3] += x.w;
                    }
            }
#pragma unroll
            for (int u = 0; u < wide; u++) {
                int f = e + u * T::THREADS;
                T::place(f % T::THREADS, f / T::THREADS, &row, &col);
                row += tile_row;
                col += tile_col;
                if (f < end && row < M)
                    update4(C + (int64_t)row * ldc + col, N - col, 1.0f, s[u],
                            beta);
            }
        }
    }
    // [add]
}
// [kernel]

/* ---- plan --------------------------------------------------------------- */

/** Any of the kernels: they differ in their sizes only. */
typedef void (*kernel_fn)(int M, int N, int K, float alpha, const float *A,
                          int lda, const float *B, int ldb, float beta,
                          float *C, int ldc, int whole);

/** A kernel and what a plan must know of it. */
typedef struct {
    kernel_fn kernel; /**< compiled for these sizes */
    int BM;           /**< rows of the tile of C of a block */
    int BN;           /**< columns of that tile */
    int BK;           /**< step along K (elements) */
    int threads;      /**< of a block */
    int blocks;       /**< that an SM has registers for */
    double rate;      /**< share of the 128 FMA a cycle that it reaches */
} kind;

/** How a problem is shared out. */
typedef struct {
    const kind *with; /**< the tile */
    int64_t tiles;    /**< of C */
    int64_t whole;    /**< of them computed by one block each */
    int64_t blocks;   /**< of the grid */
    double cycles;    /**< of an SM, estimated */
} plan;

/** The kernel for these sizes, with all that a plan must know of it. */
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES,
          int BLOCKS>
static kind kind_of(double rate)
{
    return kind{gemm_kernel<BM, BN, BK, WM, WN, TM, TN, STAGES, BLOCKS>,
                BM,
                BN,
                BK,
                BM / TM * (BN / TN),
                BLOCKS,
                rate};
}

// The rates, as the other constants of the plan, fit times on an H200.
static const kind kinds[] = {
    kind_of<128, 256, 8, 64, 64, 16, 8, 3, 1>(0.81),
    kind_of<128, 64, 8, 32, 64, 8, 8, 3, 3>(0.80),
    kind_of<32, 64, 16, 16, 32, 4, 4, 4, 4>(0.58),
};

/** a / b, rounded up. */
static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/** The plan for @p per_sm blocks at a time on each SM; 0: nothing is shared. */
// [plan]
static plan plan_for(const gemm_problem *p, const kind *k, int sms, int per_sm)
{
    int64_t slots = (int64_t)sms * per_sm, steps = ceil_div(p->K, k->BK);
    int64_t tiles = (int64_t)ceil_div(p->M, k->BM) * ceil_div(p->N, k->BN);
    plan x = {k, tiles, tiles, tiles, 0};
    if (per_sm > 0 && tiles % slots > 0) {
        x.whole = tiles / slots * slots;
        int64_t parts = min(slots / tiles, steps); // of each tile
        x.blocks =
            parts > 1 ? parts * tiles : min(slots, (tiles - x.whole) * steps);
    }
    int64_t shared = tiles - x.whole, line = shared * steps;
    int64_t busiest =
        div_up(x.whole, x.blocks) * steps + div_up(line, x.blocks);
    double at_once = (double)div_up(x.blocks, sms);
    double size = (double)k->BM * k->BN;
    // Of several small blocks the last one is alone, and waits now and then.
    x.cycles = (at_once + (k->blocks > 1 ? 0.3 : 0)) * (double)busiest * k->BK *
               size / 128 / k->rate;
    if (shared > 0) // store the sums, tell, wait, load those of the team
        x.cycles += 5700 + 100.0 * (double)x.blocks / (double)shared +
                    0.4 * at_once * size * (x.blocks % shared ? 2 : 1);
    return x;
}
// [plan]

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM, by the plan that should take the fewest cycles. */
static void launch(const gemm_problem *p)
{
    plan best = {0};
    int device, sms;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    sms = min(sms, MAX_SMS);
    for (const kind &k : kinds) {
        int fit;
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, k.kernel,
                                                                 k.threads, 0));
        for (int per_sm = 0; per_sm <= min(fit, k.blocks); per_sm++) {
            plan x = plan_for(p, &k, sms, per_sm);
            if (!best.with || x.cycles < best.cycles)
                best = x;
        }
    }
    REQUIRE(best.tiles <= INT32_MAX, "--M %d --N %d: at most %d tiles of C",
            p->M, p->N, INT32_MAX);
    int whole = (int)best.whole;
    dim3 grid((unsigned)best.blocks), block(best.with->threads);
    void *args[] = {(void *)&p->M,     (void *)&p->N,   (void *)&p->K,
                    (void *)&p->alpha, (void *)&p->A,   (void *)&p->lda,
                    (void *)&p->B,     (void *)&p->ldb, (void *)&p->beta,
                    (void *)&p->C,     (void *)&p->ldc, &whole};
    kernel_fn gemm_kernel = best.with->kernel;
    if (best.whole == best.tiles)
        CUDA_CHECK(cudaLaunchKernel(gemm_kernel, grid, block, args, 0, 0));
    else // all blocks at the same time, or none
        CUDA_CHECK(
            cudaLaunchCooperativeKernel(gemm_kernel, grid, block, args, 0, 0));
    CHECK_LAUNCH(gemm_kernel, grid, block, 0);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    gemm_problem p = gemm_open(argc, argv, "gemm_12_stream_k");
    gemm_verify(&p, launch);
    gemm_time(&p, launch);
    return gemm_close(&p);
}
