/**
 * @file addresses.cu
 * @brief Tag wavefronts outside of cudaMalloc's memory: variables of the
 * program and registered host memory, which lie elsewhere in every run.
 */
#include <cuda_runtime.h>
#include <stdlib.h>

#define FLOATS (1 << 16)

__device__ float table[FLOATS];

/** A row of the table, and of @p host, for each lane. */
__global__ void rows(float *out, const float *host, int pitch)
{
    int i = threadIdx.x * pitch;
    out[threadIdx.x] = table[i] + host[i];
}

int main()
{
    float *out, *host = (float *)calloc(FLOATS, sizeof *host);
    cudaHostRegister(host, FLOATS * sizeof *host, cudaHostRegisterDefault);
    cudaMemcpyToSymbol(table, host, FLOATS * sizeof *host);
    cudaMalloc((void **)&out, 32 * sizeof *out);
    for (int pitch = 33; pitch < 2000; pitch += 37)
        rows<<<1, 32>>>(out, host, pitch);
    cudaHostUnregister(host);
    free(host);
    return cudaDeviceSynchronize() != cudaSuccess;
}
