// Blocks that wait, each for the one behind it, and then read what it has
// stored. How often one looks, and where it is interrupted, is up to chance: so
// each begins to wait after another number of loads.

#include <cuda_runtime.h>

enum { BLOCKS = 16, T = 32 };

__global__ void wait_for_later(volatile int *flags, int *data)
{
    int b = blockIdx.x, t = threadIdx.x;
    data[b * T + t] = b;
    __syncthreads(); // all of the block have stored
    if (t == 0) {
        if (b < BLOCKS - 1) {
            for (int i = 0; i < b; i++)
                (void)flags[BLOCKS];
            while (flags[b + 1] == 0)
                __nanosleep(20);
        }
        __threadfence();
        flags[b] = 1;
    }
    __syncthreads(); // the next block has stored
    if (b < BLOCKS - 1)
        data[(BLOCKS + b) * T + t] = data[(b + 1) * T + t];
}

int main()
{
    volatile int *flags;
    int *data;
    cudaMalloc((void **)&flags, (BLOCKS + 1) * sizeof(int));
    cudaMemset((void *)flags, 0, (BLOCKS + 1) * sizeof(int));
    cudaMalloc((void **)&data, 2 * BLOCKS * T * sizeof(int));
    void *args[] = {&flags, &data};
    cudaLaunchCooperativeKernel((const void *)wait_for_later, BLOCKS, T, args,
                                0, 0);
    return cudaDeviceSynchronize();
}
