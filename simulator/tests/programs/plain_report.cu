// A launch in plain mode has a report, too: names and sizes, no counts.

#include <cuda_runtime.h>

template <int N>
__global__ void fill(int *x)
{
    x[threadIdx.x] = N;
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 64 * sizeof(int));
    fill<5><<<dim3(1, 2), 64>>>(x);
    fill<5><<<1, 64>>>(x);
    return cudaDeviceSynchronize();
}
