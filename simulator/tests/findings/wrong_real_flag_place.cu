// A bug of a public project, in our words (docs/experiments/bugs_found.md):
// with a block of one warp nothing is left past the sums, where the flag goes.

#include <cuda_runtime.h>

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

int main()
{
    const int cols = 1792, threads = 32; // 1600 columns, rounded up to 256
    float *sums;
    unsigned *done;
    cudaMalloc((void **)&sums, 2 * cols * sizeof(float));
    cudaMalloc((void **)&done, sizeof(unsigned));
    cudaMemset(sums, 0, 2 * cols * sizeof(float));
    cudaMemset(done, 0, sizeof(unsigned));
    columns<<<4, threads, (2 * cols + (threads - 32) * 8) * sizeof(float)>>>(
        sums, done, cols);
#if RIGHT
    return cudaDeviceSynchronize();
#else
    cudaDeviceSynchronize();
    return 0;
#endif
}
