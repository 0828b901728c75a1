// A 64-bit word holds a value and, above it, a flag; who waits polls the upper
// half only.

#include <cuda_runtime.h>

__global__ void hand_over(volatile long long *both, int *value, int *out)
{
    if (blockIdx.x == 0) {
        *value = 7;
        __threadfence(); // the value before the flag
        *both = 1ll << 32;
    } else {
        while (((volatile int *)both)[1] == 0) {
        }
        __threadfence(); // the flag before the value
        *out = *value;
    }
}

int main()
{
    long long *both;
    int *value, *out, got;
    cudaMalloc((void **)&both, sizeof(long long));
    cudaMalloc((void **)&value, sizeof(int));
    cudaMalloc((void **)&out, sizeof(int));
    cudaMemset(both, 0, sizeof(long long));
    hand_over<<<2, 1>>>(both, value, out);
    cudaMemcpy(&got, out, sizeof(int), cudaMemcpyDeviceToHost);
    return got != 7;
}
