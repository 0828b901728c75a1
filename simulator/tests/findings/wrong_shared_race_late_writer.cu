// The other order: the first warp reads what the last warp overwrites.

#include <cuda_runtime.h>

__global__ void overwrite(int *out)
{
    __shared__ int value;
    if (threadIdx.x == 64)
        value = 1;
    __syncthreads(); // the first value is there
    if (threadIdx.x == 0)
        out[0] = value; // expect-one: shared-race
    if (threadIdx.x == 127)
        value = 2; // expect-one: shared-race
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    overwrite<<<1, 128>>>(out);
    return cudaDeviceSynchronize();
}
