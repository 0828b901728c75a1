// Two halves of a warp wait for each other at different operations.

#include <cuda_runtime.h>

__global__ void halves(int *out)
{
    unsigned t = threadIdx.x, value;
    if (t < 16)
        value = __ballot_sync(0xffffffff, t > 3); // expect-one: warp-deadlock
    else
        value = __reduce_add_sync(0xffffffff, t); // expect-one: warp-deadlock
    out[t] = value;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    halves<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
