// The left neighbour of the first element lies before the buffer.

#include <cuda_runtime.h>

__global__ void left(const int *x, int *y)
{
    int i = threadIdx.x;
    y[i] = x[i - 1]; // expect: out-of-bounds-global
}

int main()
{
    int *x, *y;
    cudaMalloc((void **)&x, 32 * sizeof(int));
    cudaMalloc((void **)&y, 32 * sizeof(int));
    cudaMemset(x, 0, 32 * sizeof(int));
    left<<<1, 32>>>(x, y);
    cudaDeviceSynchronize();
    return 0;
}
