// Integer division by zero: a GPU gives some number and says nothing.

#include <cuda_runtime.h>

__global__ void divide(const int *divisor, int *out)
{
    out[threadIdx.x] = 100 / divisor[threadIdx.x]; // expect: division-by-zero
}

int main()
{
    int *divisor, *out;
    cudaMalloc((void **)&divisor, 32 * sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemset(divisor, 0, 32 * sizeof(int));
    divide<<<1, 32>>>(divisor, out);
    cudaDeviceSynchronize();
    return 0;
}
