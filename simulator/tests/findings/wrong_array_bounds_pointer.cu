// A pointer into a shared array runs over its end, into another array.

#include <cuda_runtime.h>

__device__ int sum(const int *p, int n)
{
    int total = 0;
    for (int i = 0; i <= n; i++)
        total += p[i]; // expect: array-bounds
    return total;
}

__global__ void sums(int *out)
{
    __shared__ int a[32];
    __shared__ int b[32];
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncwarp(); // both arrays are complete
    out[threadIdx.x] = sum(threadIdx.x % 2 ? a : b, 32);
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    sums<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
