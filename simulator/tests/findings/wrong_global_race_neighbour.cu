// A stencil in place: a block reads elements at its edge that the neighbour
// overwrites in the same launch.

#include <cuda_runtime.h>

__global__ void smooth(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int right = i + 1 < n ? x[i + 1] : 0; // expect-one: global-race
    __syncthreads();                      // orders this block only
    x[i] = right;                         // expect-one: global-race
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 256 * sizeof(int));
    cudaMemset(x, 0, 256 * sizeof(int));
    smooth<<<4, 64>>>(x, 256);
    return cudaDeviceSynchronize();
}
