#include "cases.h"

// feature: cudaMalloc3D, cudaMemcpy3D, cudaMemset3D

enum { W = 5, H = 3, D = 4 };

__global__ void add(cudaPitchedPtr box, int n)
{
    char *layer = (char *)box.ptr + blockIdx.x * box.pitch * H;
    int *row = (int *)(layer + threadIdx.y * box.pitch);
    row[threadIdx.x] += n * blockIdx.x;
}

CASE(memory_3d)
{
    int out[D][H][W];
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(W * sizeof(int), H, D);
    CHECK_CUDA(cudaMalloc3D(&box, extent));
    CHECK(box.pitch >= W * sizeof(int));
    CHECK_CUDA(cudaMemset3D(box, 0, extent));
    add<<<D, dim3(W, H)>>>(box, 10);

    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.srcPos = make_cudaPos(0, 0, 1); // without the first layer
    copy.dstPtr = make_cudaPitchedPtr(out, W * sizeof(int), W * sizeof(int), H);
    copy.extent = make_cudaExtent(W * sizeof(int), H, D - 1);
    copy.kind = cudaMemcpyDeviceToHost;
    memset(out, 0xff, sizeof out);
    CHECK_CUDA(cudaMemcpy3D(&copy));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                CHECK_EQUAL(out[z][y][x], z < D - 1 ? 10 * (z + 1) : -1);
    copy.extent.depth = D; // one layer too many
    CHECK_EQUAL(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK_CUDA(cudaFree(box.ptr));
}
