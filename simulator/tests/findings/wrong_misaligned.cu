// A float4 must begin at a multiple of 16 bytes.

#include <cuda_runtime.h>

__global__ void copy(const float *in, float4 *out)
{
#ifdef RIGHT
    const float *p = in + 4 + 4 * threadIdx.x;
#else
    const float *p = in + 1 + 4 * threadIdx.x;
#endif
    out[threadIdx.x] = *(const float4 *)p; // expect: misaligned
}

int main()
{
    float *in;
    float4 *out;
    cudaMalloc((void **)&in, 160 * sizeof(float));
    cudaMalloc((void **)&out, 32 * sizeof(float4));
    cudaMemset(in, 0, 160 * sizeof(float));
    copy<<<1, 32>>>(in, out);
#ifdef RIGHT
    return cudaDeviceSynchronize();
#else
    return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
#endif
}
