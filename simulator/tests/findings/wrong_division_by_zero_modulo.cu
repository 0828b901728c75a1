// The remainder of a division by zero is no better.

#include <cuda_runtime.h>

__global__ void remainders(const unsigned *divisor, unsigned *out)
{
    out[threadIdx.x] = 100 % divisor[threadIdx.x]; // expect: division-by-zero
}

int main()
{
    unsigned *divisor, *out;
    cudaMalloc((void **)&divisor, 32 * sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemset(divisor, 0, 32 * sizeof(int));
    remainders<<<1, 32>>>(divisor, out);
    cudaDeviceSynchronize();
    return 0;
}
