#include "cases.h"

// feature: dynamic shared memory in rows: extern __shared__ float tile[][33]

__global__ void transpose(float *out, const float *in)
{
    extern __shared__ float tile[][33];
    tile[threadIdx.y][threadIdx.x] = in[8 * threadIdx.y + threadIdx.x];
    __syncthreads();
    out[8 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

CASE(shared_memory_rows)
{
    float *in = shared_zeros<float>(64), *out = shared_zeros<float>(64);
    for (int i = 0; i < 64; i++)
        in[i] = i;
    transpose<<<1, dim3(8, 8), 8 * 33 * sizeof(float)>>>(out, in);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        CHECK_EQUAL(out[i], in[8 * (i % 8) + i / 8]);
}
