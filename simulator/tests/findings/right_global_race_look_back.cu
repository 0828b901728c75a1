// A chain of blocks: each waits for the flag of the one before, adds its own
// part, and raises its own flag. Fences order value and flag on both sides.

#include <cuda_runtime.h>

__global__ void running_sum(const int *data, volatile int *sums,
                            volatile int *flags)
{
    int b = blockIdx.x;
    if (threadIdx.x != 0)
        return;
    int before = 0;
    if (b > 0) {
        while (flags[b - 1] == 0) {
        }
        __threadfence(); // the flag before the sum
        before = sums[b - 1];
    }
    sums[b] = before + data[b];
    __threadfence(); // the sum before the flag
    flags[b] = 1;
}

int main()
{
    int *data, *sums, *flags, last;
    cudaMalloc((void **)&data, 16 * sizeof(int));
    cudaMalloc((void **)&sums, 16 * sizeof(int));
    cudaMalloc((void **)&flags, 16 * sizeof(int));
    cudaMemset(data, 1, 16 * sizeof(int));
    cudaMemset(flags, 0, 16 * sizeof(int));
    running_sum<<<16, 32>>>(data, sums, flags);
    cudaMemcpy(&last, sums + 15, sizeof(int), cudaMemcpyDeviceToHost);
    return last != 16 * 0x01010101;
}
