// The halves of a block wait at two different barriers.

#include <cuda_runtime.h>

__global__ void halves(int *out)
{
    if (threadIdx.x < 40) {
        __syncthreads(); // expect-one: barrier-divergence
        out[threadIdx.x] = 1;
    } else {
        __syncthreads(); // expect-one: barrier-divergence
        out[threadIdx.x] = 2;
    }
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 64 * sizeof(int));
    halves<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
