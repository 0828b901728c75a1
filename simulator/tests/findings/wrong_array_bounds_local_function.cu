// A function that gets an array of one thread writes past its end.

#include <cuda_runtime.h>

__device__ __noinline__ void fill(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = i; // expect: array-bounds
                  // says: write of squares
                  // says: 4 bytes past its end
}

__device__ __noinline__ int sum(const int *p, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += p[i];
    return total;
}

__global__ void sums(int n, int *out)
{
    int squares[7];
    fill(squares, n);
    out[threadIdx.x] = sum(squares, 7);
}

int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    sums<<<1, 32>>>(8, out);
    cudaDeviceSynchronize();
    return 0;
}
