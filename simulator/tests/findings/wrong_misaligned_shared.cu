// The same in shared memory: the second array begins at byte 36.

#include <cuda_runtime.h>

__global__ void carve(float4 *out)
{
    extern __shared__ char memory[];
    float4 *second = (float4 *)(memory + 36);
    second[threadIdx.x] = make_float4(1, 2, 3, 4); // expect: misaligned
    out[threadIdx.x] = make_float4(0, 0, 0, 0);
}

int main()
{
    float4 *out;
    cudaMalloc((void **)&out, 8 * sizeof(float4));
    carve<<<1, 8, 36 + 8 * sizeof(float4)>>>(out);
    return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
}
