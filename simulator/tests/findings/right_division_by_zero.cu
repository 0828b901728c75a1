// Guarded integer divisions; and in floating point zero is a divisor like any
// other: the quotient is infinite.

#include <cuda_runtime.h>

__global__ void divide(const int *divisor, int *out, float *quotient)
{
    int d = divisor[threadIdx.x];
    out[threadIdx.x] = d != 0 ? 100 / d : 0;
    quotient[threadIdx.x] = 1.0f / (float)d;
}

int main()
{
    int *divisor, *out;
    float *quotient;
    cudaMalloc((void **)&divisor, 32 * sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMalloc((void **)&quotient, 32 * sizeof(float));
    cudaMemset(divisor, 0, 32 * sizeof(int));
    divide<<<1, 32>>>(divisor, out, quotient);
    return cudaDeviceSynchronize();
}
