#include "cases.h"

// feature: threadIdx, blockIdx, blockDim, gridDim in three dimensions; warpSize

__global__ void mark(int *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    dim3 block = blockIdx;
    uint3 thread = threadIdx;
    atomicAdd(&out[(z * height + y) * width + x],
              1 + (block.x == blockIdx.x && thread.z == threadIdx.z) +
                  warpSize);
}

CASE(indices)
{
    const int n = 2 * 5 * 3 * 2 * 4 * 3;
    int *out = shared_zeros<int>(n);
    mark<<<dim3(2, 3, 4), dim3(5, 2, 3)>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_EQUAL(out[i], 34);
    mark<<<n, 1>>>(out); // plain numbers instead of dim3
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[n - 1], 68);
}
