#include "cases.h"

// feature: __constant__ memory and symbols: cudaMemcpyToSymbol, FromSymbol,
// address, size

struct settings {
    int n;
    float scale;
};

__constant__ float table[16];
__constant__ settings config;
__constant__ int filled[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ float samples[8];

__global__ void use(float *out)
{
    int t = threadIdx.x;
    out[t] = table[t % 16] * config.scale + filled[t % 4];
    if (t < config.n)
        samples[t] = t;
    atomicAdd(&counter, 1);
}

CASE(constant_memory)
{
    float h[16], *out = shared_zeros<float>(32), back[8];
    for (int i = 0; i < 16; i++)
        h[i] = i * 0.5f;
    settings s = {8, 2.0f};
    int count;
    CHECK_CUDA(cudaMemcpyToSymbol(table, h, sizeof h));
    CHECK_CUDA(cudaMemcpyToSymbol(config, &s, sizeof s));
    float last = 100.0f;
    CHECK_CUDA(cudaMemcpyToSymbol(table, &last, 4, 15 * sizeof(float)));
    use<<<1, 32>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK_EQUAL(out[t], (t % 16 == 15 ? 200 : t % 16) + 1 + t % 4);
    CHECK_CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK_EQUAL(count, 37);
    CHECK_CUDA(cudaMemcpyFromSymbol(back, samples, sizeof back));
    CHECK_EQUAL(back[7], 7);

    void *address;
    size_t size;
    CHECK_CUDA(cudaGetSymbolAddress(&address, samples));
    CHECK_CUDA(cudaGetSymbolSize(&size, samples));
    CHECK_EQUAL(size, sizeof back);
    CHECK_CUDA(cudaMemset(address, 0, size));
    CHECK_CUDA(cudaMemcpyFromSymbol(back, samples, sizeof back));
    CHECK_EQUAL(back[7], 0);
}
