#include "cases.h"

// feature: cudaMalloc, cudaFree, cudaMemcpy in all directions, cudaMemset

__global__ void increase(int *x)
{
    x[threadIdx.x] += 1;
}

CASE(memory)
{
    int h[32], *a, *b;
    for (int i = 0; i < 32; i++)
        h[i] = i;
    CHECK_CUDA(cudaMalloc(&a, sizeof h)); // the form that takes any pointer
    CHECK_CUDA(cudaMalloc((void **)&b, sizeof h));
    CHECK(((size_t)a & 255) == 0);
    CHECK_CUDA(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    increase<<<1, 32>>>(a);
    CHECK_CUDA(cudaMemcpy(b, a, sizeof h, cudaMemcpyDeviceToDevice));
    CHECK_CUDA(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(h[31], 32);
    CHECK_CUDA(cudaMemset(b + 8, 0xff, 8 * sizeof(int)));
    CHECK_CUDA(cudaMemcpy(h, b, sizeof h, cudaMemcpyDefault));
    CHECK(h[7] == 8 && h[8] == -1 && h[15] == -1 && h[16] == 17);
    int copy[32];
    CHECK_CUDA(cudaMemcpy(copy, h, sizeof h, cudaMemcpyHostToHost));
    CHECK_EQUAL(copy[31], 32);
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(b));
    CHECK_CUDA(cudaFree(NULL));
}
