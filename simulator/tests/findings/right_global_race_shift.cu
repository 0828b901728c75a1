// Shifting an array in place, with a barrier between reading and storing; and
// two warps that hand over a value through a flag in global memory.

#include <cuda_runtime.h>

__global__ void shift(int *x, int *value, volatile int *flag)
{
    int t = threadIdx.x;
    int next = x[t + 1];
    __syncthreads(); // all have read
    x[t] = next;
    if (t == 0) {
        *value = 7;
        __threadfence(); // the value before the flag
        *flag = 1;
    } else if (t == 32) {
        while (*flag == 0) {
        }
        __threadfence(); // the flag before the value
        *value = *value + 1;
    }
}

int main()
{
    int *x, *value, *flag;
    cudaMalloc((void **)&x, 257 * sizeof(int));
    cudaMalloc((void **)&value, sizeof(int));
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMemset(x, 0, 257 * sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    shift<<<1, 256>>>(x, value, flag);
    return cudaDeviceSynchronize();
}
