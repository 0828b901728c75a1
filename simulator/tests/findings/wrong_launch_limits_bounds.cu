// More threads than __launch_bounds__ promises: the registers are not there.

#include <cuda_runtime.h>

#define MOST 64

__global__ void __launch_bounds__(2 * MOST, 1) fill(int *x)
{
    x[threadIdx.x] = 1;
}

template <int THREADS>
__global__ __launch_bounds__(THREADS) void fill_less(int *x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    int *x;
    cudaMalloc(&x, 256 * sizeof(int));
    fill<<<1, dim3(16, 16)>>>(x); // expect: launch-limits
                                  // says: at most 128
    bool refused = cudaGetLastError() != cudaSuccess;
    fill_less<32><<<1, 64>>>(x); // expect: launch-limits
    refused = refused && cudaGetLastError() != cudaSuccess;
    fill<<<1, 2 * MOST>>>(x);
    fill_less<64><<<1, 64>>>(x);
    return !refused || cudaDeviceSynchronize();
}
