// The writer is in the first warp and the reader in the last, so that they
// meet in this order whichever way the warps run: store, then load.

#include <cuda_runtime.h>

__global__ void broadcast(int *out)
{
    __shared__ int value;
    if (threadIdx.x == 0)
        value = 42; // expect-one: shared-race
    if (threadIdx.x == 127)
        out[0] = value; // expect-one: shared-race
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    broadcast<<<1, 128>>>(out);
    return cudaDeviceSynchronize();
}
