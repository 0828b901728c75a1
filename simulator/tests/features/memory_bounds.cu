#include "cases.h"

// feature: copies that leave their buffer or go the wrong way are refused

__constant__ int table[4];
__device__ int behind[64]; // or in front: nothing may reach it

CASE(memory_bounds)
{
    int h[64] = {0}, *d;
    CHECK_CUDA(cudaMalloc((void **)&d, sizeof h));
    CHECK(cudaMemcpy(h, d, sizeof h + 4, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpy(d + 1, h, sizeof h, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemset(d, 0, sizeof h + 1) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(NULL, d, 4, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol(table, h, sizeof table + 4) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol(table, h, 8, 12) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyFromSymbol(h, table, 4, sizeof table) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol(behind, h, sizeof h + 4) == cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK_CUDA(cudaMemcpyToSymbol(table, h, sizeof table));
    CHECK_CUDA(cudaMemcpyToSymbol(table, h, 4, 12));
    CHECK_CUDA(cudaMemset(d, 0, sizeof h));
    CHECK_CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(d));
}
