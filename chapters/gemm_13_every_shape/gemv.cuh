/**
 * @file gemv.cuh
 * @brief C of one row or one column: a matrix times a vector.
 *
 * Each word of the matrix is used once, so tiles gain nothing; what counts is
 * that enough loads are under way. Needs workspaces[].
 */

#define GEMV_WARPS 8  /**< of a block, which share its steps along K */
#define GEMV_COLS 128 /**< outputs of a block, of one row: 4 for a lane */
#define GEMV_ROWS 8   /**< outputs of a block, of one column */

/** The sum of output threadIdx.x over the warps of the block. */
template <int OUT>
static __device__ float over_warps(const float sums[GEMV_WARPS][OUT])
{
    float sum = 0.0f;
    __syncthreads(); // the sums of all warps are there
    if (threadIdx.x < OUT)
        for (int warp = 0; warp < (int)blockDim.x / 32; warp++)
            sum += sums[warp][threadIdx.x];
    return sum;
}

/**
 * Add up the sums of the block's warps, and if gridDim.y blocks share K, those
 * of the blocks: the last one to come does it, in the order of K.
 *
 * @param sums  of each warp, the block's OUT outputs
 * @param C     the first of them; @p pitch apart; C has @p left from there on
 */
// [last]
template <int OUT>
static __device__ void finish(const gemm_problem &p, workspace *w,
                              float sums[GEMV_WARPS][OUT], float *C,
                              int64_t pitch, int left)
{
    __shared__ bool last;
    int slices = gridDim.y, warps = blockDim.x / 32, warp = threadIdx.x / 32;
    float sum = over_warps(sums);
    if (slices > 1) {
        float *parts = w->parts + (int64_t)blockIdx.x * slices * OUT;
        if (threadIdx.x < OUT)
            parts[blockIdx.y * OUT + threadIdx.x] = sum;
        __syncthreads(); // all of the block have stored before one says so
        if (threadIdx.x == 0) {
            __threadfence(); // the parts are seen before the count
            last = atomicInc(&w->count[blockIdx.x], slices - 1) + 1 == slices;
            __threadfence(); // the count is seen before the parts
        }
        __syncthreads(); // all know whether the parts of all blocks are there
        if (!last)
            return;
        for (int i = threadIdx.x % 32; i < OUT; i += 32) {
            float of_warp = 0.0f;
#pragma unroll 8
            for (int s = warp * slices / warps; s < (warp + 1) * slices / warps;
                 s++)
                of_warp += __ldcg(parts + s * OUT + i); // not from the L1
            sums[warp][i] = of_warp;
        }
        sum = over_warps(sums);
    }
    if ((int)threadIdx.x < min(OUT, left)) {
        C += threadIdx.x * pitch;
        *C = p.alpha * sum + (p.beta == 0.0f ? 0.0f : p.beta * *C);
    }
}
// [last]

/**
 * C of one row. A lane has four columns, and each warp every 8th of the block's
 * rows of B.
 *
 * Launch: block (32 * GEMV_WARPS), grid (ceil(N / GEMV_COLS), slices of K).
 */
// [row]
static __global__ void __launch_bounds__(32 * GEMV_WARPS, MAX_BLOCKS)
    gemv_row_kernel(gemm_problem p, int set)
{
    __shared__ __align__(16) float sums[GEMV_WARPS][GEMV_COLS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first = blockIdx.x * GEMV_COLS, col = first + lane * 4;
    int begin = (int)((int64_t)p.K * blockIdx.y / gridDim.y);
    int end = (int)((int64_t)p.K * (blockIdx.y + 1) / gridDim.y);
    float sum[4] = {0.0f};
    if (col < p.N)
#pragma unroll 8
        for (int k = begin + warp; k < end; k += GEMV_WARPS) {
            float a = p.A[k], b[4];
            load4(b, p.B + (int64_t)k * p.ldb + col);
            for (int j = 0; j < 4; j++)
                sum[j] += a * b[j];
        }
    store4(&sums[warp][lane * 4], sum);
    finish(p, &workspaces[set], sums, p.C + first, 1, p.N - first);
}
// [row]

/**
 * C of one column. A thread has four neighbouring steps along K, for all rows
 * of the block; B is a column, so its words lie ldb apart.
 *
 * Launch: block (32 * warps), grid (ceil(M / GEMV_ROWS), slices of K).
 */
// [column]
static __global__ void __launch_bounds__(32 * GEMV_WARPS, MAX_BLOCKS)
    gemv_column_kernel(gemm_problem p, int set)
{
    __shared__ float sums[GEMV_WARPS][GEMV_ROWS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int first = blockIdx.x * GEMV_ROWS;
    int fours = ceil_div(p.K, 4); // the padding of A holds zeros
    int begin = (int)((int64_t)fours * blockIdx.y / gridDim.y);
    int end = (int)((int64_t)fours * (blockIdx.y + 1) / gridDim.y);
    float sum[GEMV_ROWS] = {0.0f};
    for (int k = begin + threadIdx.x; k < end; k += blockDim.x) {
        float4 a[GEMV_ROWS]; // past the L1, which is for B
        for (int r = 0; r < GEMV_ROWS; r++)
            a[r] =
                __ldcg((const float4 *)(p.A + (int64_t)min(first + r, p.M - 1) *
                                                  p.lda) +
                       k);
        float b[4];
        for (int j = 0; j < 4; j++)
            b[j] = 4 * k + j < p.K ? p.B[((int64_t)k * 4 + j) * p.ldb] : 0.0f;
        for (int r = 0; r < GEMV_ROWS; r++)
            sum[r] +=
                a[r].x * b[0] + a[r].y * b[1] + a[r].z * b[2] + a[r].w * b[3];
    }
    for (int r = 0; r < GEMV_ROWS; r++) {
        for (int far = 16; far > 0; far /= 2)
            sum[r] += __shfl_down_sync(0xffffffff, sum[r], far);
        if (lane == 0)
            sums[warp][r] = sum[r];
    }
    finish(p, &workspaces[set], sums, p.C + (int64_t)first * p.ldc, p.ldc,
           p.M - first);
}
// [column]
