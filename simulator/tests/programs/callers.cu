/**
 * @file callers.cu
 * @brief One line, reached by several calls: an entry of lines[] for each.
 */
#include <cuda_runtime.h>

#include "sim.h"

/** The line of all loads. */
__device__ float element(const float *x, int i)
{
    return x[i]; // load
}

/** Calls element() from two places, and through this one from a third. */
__device__ float twice(const float *x, int i)
{
    return 2 * element(x, i); // inner call
}

__global__ void kernel(const float *a, const float *b, float *c, int stride)
{
    __shared__ float tile[32];
    int i = threadIdx.x;
    tile[i] = element(a, i * stride);          // first call
    __syncthreads();                           // the tile is complete
    c[i] = twice(b, i) + element(tile, i ^ 1); // two calls
}

int main(void)
{
    float *data[3];
    const char *names[] = {"A", "B", "C"};
    for (int i = 0; i < 3; i++) {
        cudaMalloc((void **)&data[i], 4096);
        cudaMemset(data[i], 0, 4096);
        sim_name_array(data[i], names[i], sizeof(float), 1024, 0);
    }
    kernel<<<1, 32>>>(data[0], data[1], data[2], 8);
    return cudaDeviceSynchronize() != cudaSuccess;
}
