#include "cases.h"

// Bugs of a public project, in our words (docs/experiments/bugs_found.md).

// A warp's sum takes the place of the maximum, which a slower warp has yet to
// read.

__global__ void softmax(float *out, const float *in, int cols)
{
    __shared__ float part[32]; // of each warp: its maximum, then its sum
    int t = threadIdx.x, warp = t / 32, warps = blockDim.x / 32;
    const float *row = in + (size_t)blockIdx.x * cols;

    float most = -INFINITY;
    for (int i = t; i < cols; i += blockDim.x)
        most = fmaxf(most, row[i]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    if (t % 32 == 0)
        part[warp] = most;
    __syncthreads(); // all maxima are there
    if (t == 0)
        for (int i = 1; i < warps; i++)
            part[0] = fmaxf(part[0], part[i]);
    __syncthreads(); // the maximum of the row is there
    most = part[0];  // expect-one: shared-race
#if RIGHT
    __syncthreads(); // all have read it before a sum takes its place
#endif

    float sum = 0.0f;
    for (int i = t; i < cols; i += blockDim.x)
        sum += expf(row[i] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        part[warp] = sum; // expect-one: shared-race
    __syncthreads();      // all sums are there
    if (t == 0)
        for (int i = 1; i < warps; i++)
            part[0] += part[i];
    __syncthreads(); // the sum of the row is there
    for (int i = t; i < cols; i += blockDim.x)
        out[(size_t)blockIdx.x * cols + i] = expf(row[i] - most) / part[0];
}

CASE(softmax_sum)
{
    const int rows = 2, cols = 50257; // one for each token that GPT-2 knows
    float *out = room<float>(rows * cols), *in = zeros<float>(rows * cols);
    softmax<<<rows, 64>>>(out, in, cols);
}

// The guard lets one row too many through.

__global__ void row_means(float *mean, const float *in, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
#if RIGHT
    if (row >= rows)
#else
    if (row > rows)
#endif
        return;
    float sum = 0.0f;
    for (int i = 0; i < cols; i++)
        sum += in[row * cols + i]; // expect: out-of-bounds-global
    mean[row] = sum / cols;
}

CASE(row_guard)
{
    const int rows = 33, cols = 768; // a thread a row, no multiple of 32
    float *in;
    cudaMalloc((void **)&in, rows * cols * sizeof(float));
    cudaMemset(in, 0, rows * cols * sizeof(float));
    row_means<<<(rows + 31) / 32, 32>>>(room<float>(rows), in, rows, cols);
}

// With a block of one warp nothing is left past the sums, where the flag goes.

// Dynamic shared memory: two sums for each column, then 8 words for each thread
// but those of the first warp, whose sums stay in registers.
__global__ void columns(float *sums, unsigned *done, int cols)
{
    extern __shared__ float shared[];
    for (int i = threadIdx.x; i < 2 * cols; i += blockDim.x)
        shared[i] = 1.0f;
    __syncthreads(); // the sums of this block are complete
    for (int i = threadIdx.x; i < 2 * cols; i += blockDim.x)
        atomicAdd(&sums[i], shared[i]);
    __syncthreads(); // the block has added all of them
#if RIGHT
    unsigned *last = (unsigned *)shared; // what lay there is no longer used
#else
    unsigned *last = (unsigned *)(shared + 2 * cols);
#endif
    if (threadIdx.x == 0)
        *last = atomicAdd(done, 1u); // expect: array-bounds
    __syncthreads();                 // all know whether this block is the last
    if (*last == gridDim.x - 1 && threadIdx.x == 0)
        atomicExch(done, 0u);
}

CASE(flag_place)
{
    const int cols = 1792, threads = 32; // 1600 columns, rounded up to 256
    float *sums = zeros<float>(2 * cols);
    unsigned *done = zeros<unsigned>(1);
    columns<<<4, threads, (2 * cols + (threads - 32) * 8) * sizeof(float)>>>(
        sums, done, cols);
}

// Room for 32 partial sums of a column, where small blocks make 176.

// Each block adds some rows: gridDim.y partial sums for each column.
__global__ void partial_sums(float *partial, const float *in, int rows,
                             int cols)
{
    int col = blockIdx.x * 64 + threadIdx.x * 2;
    float x = 0.0f, y = 0.0f;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        x += in[row * cols + col];
        y += in[row * cols + col + 1];
    }
    partial[blockIdx.y * cols + col] = x; // expect: out-of-bounds-global
    partial[blockIdx.y * cols + col + 1] = y;
}

CASE(partial_sums)
{
    const int rows = 33, cols = 3072, threads = 32;
    // As many blocks as an H200 holds threads: 132 SMs, 2048 on each.
    dim3 grid(cols / 64, 132 * 2048 / (threads * (cols / 64)));
    float *in = zeros<float>(rows * cols);
    float *partial;
    cudaMalloc((void **)&partial,
               (RIGHT ? grid.y : 32) * cols * sizeof *partial);
    partial_sums<<<grid, threads>>>(partial, in, rows, cols);
}
