// Blocks take turns through a lock made of atomicCAS and atomicExch.

#include <cuda_runtime.h>

__global__ void count(int *lock, volatile int *total)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence(); // the lock before the total
        *total = *total + 1;
        __threadfence(); // the total before the lock
        atomicExch(lock, 0);
    }
}

int main()
{
    int *lock, *total, value;
    cudaMalloc((void **)&lock, sizeof(int));
    cudaMalloc((void **)&total, sizeof(int));
    cudaMemset(lock, 0, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    count<<<64, 32>>>(lock, total);
    cudaMemcpy(&value, total, sizeof(int), cudaMemcpyDeviceToHost);
    return value != 64;
}
