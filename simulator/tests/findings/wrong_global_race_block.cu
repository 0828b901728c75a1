// Threads of one block count in global memory without atomics: of several that
// read the same old value, one addition stays.
// says: no __syncwarp between

#include <cuda_runtime.h>

__global__ void count(int *bins)
{
    bins[threadIdx.x % 4]++; // expect: global-race
}

int main()
{
    int *bins;
    cudaMalloc((void **)&bins, 4 * sizeof(int));
    cudaMemset(bins, 0, 4 * sizeof(int));
    count<<<1, 32>>>(bins);
    return cudaDeviceSynchronize();
}
