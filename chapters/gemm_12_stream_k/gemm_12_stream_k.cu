/**
 * @file gemm_12_stream_k.cu
 * @brief GEMM step 12: work shared out so that every SM has as much.
 *
 * C = alpha * A * B + beta * C in float32, row-major: A [M x K], B [K x N],
 * C [M x N].
 *
 * Change:  the steps along K of tiles that fill no round are one line, of which
 *          every block takes an equal piece. Blocks that have parts of one tile
 *          add up their sums together, in the order of K.
 * Reason:  132 SMs, a tile of 128 x 256 each at a time. What the busiest one
 *          does, in tiles, and what all do on average:
 *            4096 x 4096 x 4096     512 tiles     4     3.88
 *            1024 x 1024 x 1024      32 tiles     1     0.24
 *             512 x  512 x 8192       8 tiles     1     0.06
 * Run:     make chapter=gemm_12 run
 * Measure: make chapter=gemm_12 run args="--M 512 --N 512 --K 8192"
 * Limit:   one tile for all shapes: 256 x 256 has two, for 132 SMs.
 */

#include <atomic>

#include "gemm.h"

#include "cp_async.cuh"

/* ---- parameters --------------------------------------------------------- */

#define BM 128    /**< rows of the tile of C of a block */
#define BN 256    /**< columns of that tile */
#define BK 8      /**< step along K */
#define TM 16     /**< rows of C of a thread */
#define TN 8      /**< columns of C of a thread */
#define STAGES 3  /**< tiles of A and of B in shared memory */
#define COPY_AT 2 /**< k at which the next copies begin */
#define THREADS (BM / TM * (BN / TN)) /**< of a block: 256 */
#define A_ROWS (THREADS / BK)         /**< of A that they copy at once: 32 */
#define B_ROWS (4 * THREADS / BN)     /**< of B that they copy at once: 4 */
#define FOURS (TM * TN / 4)           /**< of a thread's sums: 32 */

#define MAX_SMS 160  /**< of a GPU; of more only so many share tiles */
#define WORKSPACES 2 /**< streams that may run a GEMM at the same time */
#define PART_COST 6  /**< of a part, in steps: store it, wait, add it */
#define AT_ONCE 4    /**< fours that a thread adds up at the same time */

/* ---- the loop of gemm_11 ------------------------------------------------ */

/** Load four neighbouring floats, 16-byte aligned, by one instruction. */
static __device__ void load4(float *to, const float *from)
{
    float4 four = *(const float4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

/**
 * Begin to copy this thread's part of two tiles, to its places in them; zeros
 * beyond a_left and b_left more steps of K. Below the last of `rows` rows of A
 * it copies that row again: such sums are not stored.
 */
static __device__ void copy(float *As, float *Bs, const float *A, int lda,
                            int rows, int a_left, const float *B, int ldb,
                            int b_left)
{
    for (int i = 0; i < BM; i += A_ROWS)
        copy_async<4>(As + i, A + (int64_t)min(i, rows - 1) * lda, a_left > 0);
    for (int k = 0; k < BK; k += B_ROWS)
        copy_async<16>(Bs + k * BN, B + (int64_t)k * ldb, k < b_left);
    __pipeline_commit(); // these copies are a group
}

/** Load for one k the elements of As and Bs that a thread multiplies. */
static __device__ void fragments(float a[TM], float b[TN], const float *As,
                                 const float *Bs)
{
    load4(b, Bs);
    load4(b + 4, Bs + BN / 2);
    for (int i = 0; i < TM; i += 4)
        load4(a + i, As + i);
}

/** This thread's first row and column in a tile: a warp is four threads down
 *  and eight across. */
static __device__ void place(int *row, int *col)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    *row = (warp / (BN / TN / 8) * 4 + lane / 8) * TM;
    *col = (warp % (BN / TN / 8) * 8 + lane % 8) * 4;
}

/** This thread's sums of the tile at row, col over k from begin to end - 1. */
static __device__ void multiply(float sum[TM][TN], const gemm_problem &p,
                                int row, int col, int begin, int end)
{
    __shared__ __align__(16) float As[STAGES][BK][BM + 4]; // transposed
    __shared__ __align__(16) float Bs[STAGES][BK][BN];

    int thread = threadIdx.x, lda = p.lda, ldb = p.ldb;
    int y, x;
    place(&y, &x);
    // This thread copies an element of every 32nd row of A, 4 of two rows of B;
    // beyond the edges those of the last row, the last columns.
    int a_row = thread / BK, a_k = thread % BK;
    int b_k = thread / (BN / 4), b_col = thread % (BN / 4) * 4;
    const float *A =
        p.A + (int64_t)(row + min(a_row, p.M - row - 1)) * lda + begin + a_k;
    const float *B = p.B + (int64_t)(begin + b_k) * ldb + col +
                     min(b_col, (p.N - col - 1) / 4 * 4);
    int rows = max(p.M - row - a_row, 1); // of A from there on
    int left = end - begin;
    int a_left = left - a_k, b_left = left - b_k; // steps of K

    __syncthreads();                  // all have read the last tile's buffers
    int now = 0, before = STAGES - 1; // buffers: at work, and free
    for (int i = 0; i < STAGES - 1; i++) {
        copy(&As[i][a_k][a_row], &Bs[i][b_k][b_col], A, lda, rows, a_left, B,
             ldb, b_left);
        A += BK;
        B += (int64_t)BK * ldb;
        a_left -= BK;
        b_left -= BK;
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();          // the first tiles are complete
    float a[2][TM], b[2][TN]; // fragments of this k and the next
    fragments(a[0], b[0], &As[0][0][y], &Bs[0][0][x]);

    for (; left > 0; left -= BK) {
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == COPY_AT) { // past the end: zeros, which nobody multiplies
                copy(&As[before][a_k][a_row], &Bs[before][b_k][b_col], A, lda,
                     rows, a_left, B, ldb, b_left);
                A += BK;
                B += (int64_t)BK * ldb;
                a_left -= BK;
                b_left -= BK;
            }
            if (k == BK - 1) {
                __pipeline_wait_prior(STAGES - 2);
                __syncthreads(); // the next tiles are complete, and everyone
                before = now;    // has finished reading these
                now = now + 1 == STAGES ? 0 : now + 1;
            }
            int next = (k + 1) % BK;
            fragments(a[next % 2], b[next % 2], &As[now][next][y],
                      &Bs[now][next][x]);
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) {
                    int turn = i % 2 ? TN - 1 - j : j; // serpentine
                    sum[i][turn] += a[k % 2][i] * b[k % 2][turn];
                }
        }
    }
    __pipeline_wait_prior(0); // no copy comes when the next tile begins
}

/* ---- the line ----------------------------------------------------------- */

/** What the blocks of one launch leave for each other. */
typedef struct {
    /** Parts of tiles, times alpha. A block has two at most: [1] of a tile that
     *  it begins, [0] of one that another block has begun. */
    float4 parts[MAX_SMS][2][FOURS][THREADS];
    /** For each shared tile: blocks that have stored their part, and then those
     *  that have seen that all have. The last of these makes it 0 again. */
    unsigned count[MAX_SMS];
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

/** The team of tile @p t. */
static __device__ team team_of(int64_t line, int steps, int t)
{
    int first = block_of(line, (int64_t)t * steps);
    int last = block_of(line, (int64_t)(t + 1) * steps - 1);
    return team{first, last - first + 1};
}

/** C = alpha * sum + beta * C for the q-th four neighbours of this thread, in
 *  the tile at row, col. */
static __device__ void store(const gemm_problem &p, int row, int col, int q,
                             float alpha, const float sum[4])
{
    int y, x;
    place(&y, &x);
    row += y + q / 2;
    col += x + q % 2 * (BN / 2);
    float *C = p.C + (int64_t)row * p.ldc + col;
    if (p.beta == 0.0f && row < p.M && col + 4u <= (unsigned)p.N) { // 16 bytes
        *(float4 *)C = make_float4(alpha * sum[0], alpha * sum[1],
                                   alpha * sum[2], alpha * sum[3]);
        return;
    }
    for (int j = 0; j < 4; j++) {
        float new_c = alpha * sum[j];
        if (row < p.M && col + j < p.N)
            C[j] = p.beta == 0.0f ? new_c : new_c + p.beta * C[j];
    }
}

/** The same for a whole tile. */
static __device__ void store_tile(const gemm_problem &p, int row, int col,
                                  const float sum[TM][TN])
{
#pragma unroll
    for (int q = 0; q < FOURS; q++)
        store(p, row, col, q, p.alpha, &sum[q / 2][q % 2 * 4]);
}

/** Leave the sums, times alpha: unchanged, nvcc would keep them in other
 *  registers, and the loop of multiply() would take longer. */
static __device__ void store_part(float4 part[FOURS][THREADS], float alpha,
                                  const float sum[TM][TN])
{
#pragma unroll
    for (int q = 0; q < FOURS; q++) {
        const float *x = &sum[q / 2][q % 2 * 4];
        part[q][threadIdx.x] =
            make_float4(alpha * x[0], alpha * x[1], alpha * x[2], alpha * x[3]);
    }
}

/** This block's part of tile t is stored: count one more of its team. */
// [tell]
static __device__ void tell(workspace *w, int64_t line, int steps, int t)
{
    __syncthreads(); // all of the block have stored before one says so
    if (threadIdx.x == 0) {
        __threadfence(); // the part is seen before the count
        atomicInc(&w->count[t], 2 * team_of(line, steps, t).blocks - 1);
    }
}
// [tell]

/** Wait until all blocks of a team have told. */
// [wait]
static __device__ void wait_for(unsigned *count, int blocks)
{
    if (threadIdx.x == 0) {
        while (*(volatile unsigned *)count < (unsigned)blocks)
            __nanosleep(100);
        __threadfence(); // the count is seen before the parts
        atomicInc(count, 2 * blocks - 1);
    }
    __syncthreads(); // all parts are there before anybody reads them
}
// [wait]

/**
 * Add up the parts of the tile at row, col. Of a team of n blocks each does
 * every n-th of a thread's fours, AT_ONCE of them at the same time.
 */
static __device__ void add_parts(const gemm_problem &p, const workspace *w,
                                 int row, int col, team us)
{
    int n = us.blocks;
    for (int q = blockIdx.x - us.first; q < FOURS; q += AT_ONCE * n) {
        float sum[AT_ONCE][4] = {{0.0f}};
        // [add]
#pragma unroll 2
        for (int b = 0; b < n; b++) // in the order of K
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++)
                if (q + i * n < FOURS) {
                    float4 part = __ldcg( // not from the L1
                        &w->parts[us.first + b][b == 0][q + i * n]
                                 [threadIdx.x]);
                    sum[i][0] += part.x;
                    sum[i][1] += part.y;
                    sum[i][2] += part.z;
                    sum[i][3] += part.w;
                }
                // [add]
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (q + i * n < FOURS)
                store(p, row, col, q + i * n, 1.0f, sum[i]);
    }
}

/**
 * A block computes its piece of the line, then every gridDim.x-th of the tiles
 * that are not shared, then adds up with its teams.
 *
 * @param p       a GEMM
 * @param shared  so many tiles are shared, the first ones; their steps along K
 *                are the line
 * @param set     the workspace; no other launch may use it at the same time
 *
 * Launch: block (THREADS); grid: at least as many as shared tiles, and if there
 * are any, no more than run at the same time: blocks wait for each other.
 */
__global__ void __launch_bounds__(THREADS)
    gemm_kernel(gemm_problem p, int shared, int set)
{
    workspace *w = &workspaces[set];
    int across = ceil_div(p.N, BN), tiles = ceil_div(p.M, BM) * across;
    // [line]
    int steps = ceil_div(p.K, BK); // of a tile
    int64_t line = (int64_t)shared * steps;
    int64_t first = line * blockIdx.x / gridDim.x;
    int64_t last = line * (blockIdx.x + 1) / gridDim.x;
    // [line]
    // [block]
    int64_t step = first;          // of the line
    int own = shared + blockIdx.x; // the next whole tile
    while (step < last || own < tiles) {
        int t = own, begin = 0, end = steps; // a whole tile, or
        if (step < last) {                   // a piece of a shared one
            t = (int)(step / steps);
            begin = (int)(step % steps);
            end = (int)min((int64_t)steps, begin + last - step);
            step += end - begin;
        } else {
            own += gridDim.x;
        }
        int row = t / across * BM, col = t % across * BN;
        float sum[TM][TN] = {{0.0f}};
        multiply(sum, p, row, col, begin * BK, min(end * BK, p.K));
        if (end - begin == steps) {
            store_tile(p, row, col, sum);
        } else {
            store_part(w->parts[blockIdx.x][begin == 0], p.alpha, sum);
            tell(w, line, steps, t);
        }
    }
    // [block]

    for (int t = (int)(first / steps); (int64_t)t * steps < last; t++) {
        team us = team_of(line, steps, t);
        if (us.blocks == 1)
            continue; // this block has computed all of it
        wait_for(&w->count[t], us.blocks);
        add_parts(p, w, t / across * BM, t % across * BN, us);
    }
}

/* ---- launch ------------------------------------------------------------- */

/** How the tiles of a problem are shared out. */
typedef struct {
    int shared; /**< tiles that blocks share: the first ones */
    int blocks; /**< of the grid */
} plan;

/**
 * The plan whose busiest block has the fewest steps, counting its parts. Only
 * tiles that fill no round are shared: as one line by all SMs, or, if there are
 * fewer tiles than SMs, each tile by the same number of blocks.
 */
// [plan]
static plan plan_of(int64_t tiles, int steps)
{
    int sms = min(device_attribute(cudaDevAttrMultiProcessorCount), MAX_SMS);
    int rest = (int)(tiles % sms);
    int64_t line = (int64_t)rest * steps;
    int64_t piece = (line + sms - 1) / sms + 2 * PART_COST; // of two tiles
    int each = tiles < sms ? min(sms / rest, steps) : 1;    // blocks for a tile
    int equal = ceil_div(steps, each) + PART_COST;
    if (line >= sms && piece < min(equal, steps))
        return plan{rest, sms};
    if (equal < steps)
        return plan{rest, rest * each};
    return plan{0, (int)tiles};
}
// [plan]

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
static void launch(const gemm_problem *p)
{
    int64_t tiles = (int64_t)ceil_div(p->M, BM) * ceil_div(p->N, BN);
    REQUIRE(tiles <= INT32_MAX, "--M %d --N %d: at most %d tiles of C", p->M,
            p->N, INT32_MAX);
    plan x = plan_of(tiles, ceil_div(p->K, BK));
    if (x.shared == 0) {
        gemm_kernel<<<x.blocks, THREADS>>>(*p, 0, 0);
    } else { // all blocks at the same time, or none
        int set = workspace_of_thread();
        void *args[] = {(void *)p, &x.shared, &set};
        CUDA_CHECK(cudaLaunchCooperativeKernel(gemm_kernel, x.blocks, THREADS,
                                               args, 0, 0));
    }
    CHECK_LAUNCH(gemm_kernel, x.blocks, THREADS, 0);
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_main(argc, argv, "gemm_12_stream_k", launch);
}
