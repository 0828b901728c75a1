#include "cases.h"

// feature: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D, and their Async forms

__global__ void scale(float *x, size_t pitch, int width)
{
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    if (threadIdx.x < width)
        row[threadIdx.x] *= 2;
}

CASE(memory_2d)
{
    enum { WIDTH = 30, HEIGHT = 5, BYTES = WIDTH * sizeof(float) };
    float h[HEIGHT][WIDTH], back[HEIGHT][WIDTH], *x;
    size_t pitch;
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        h[i / WIDTH][i % WIDTH] = i;
    CHECK_CUDA(cudaMallocPitch((void **)&x, &pitch, BYTES, HEIGHT));
    CHECK(pitch >= BYTES && pitch % 32 == 0);
    CHECK_CUDA(cudaMemcpy2D(x, pitch, h, BYTES, BYTES, HEIGHT,
                            cudaMemcpyHostToDevice));
    scale<<<HEIGHT, 32>>>(x, pitch, WIDTH);
    CHECK_CUDA(cudaMemcpy2D(back, BYTES, x, pitch, BYTES, HEIGHT,
                            cudaMemcpyDeviceToHost));
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        CHECK_EQUAL(back[i / WIDTH][i % WIDTH], 2 * i);
    CHECK_CUDA(cudaMemset2D(x, pitch, 0, 4 * sizeof(float), 2));
    CHECK_CUDA(cudaMemcpy2DAsync(back, BYTES, x, pitch, BYTES, HEIGHT,
                                 cudaMemcpyDeviceToHost, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(back[1][3] == 0 && back[1][4] == 68 && back[2][0] == 120);
    CHECK_CUDA(cudaFree(x));
}
