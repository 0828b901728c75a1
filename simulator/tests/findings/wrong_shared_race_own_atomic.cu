// Thread 0 clears the counter and nobody waits for it; that thread 0 then adds
// to it itself does not help the others.

#include <cuda_runtime.h>

__global__ void count(int *out)
{
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0; // expect-one: shared-race
#ifdef RIGHT
    __syncthreads(); // n is 0
#endif
    atomicAdd(&n, 1); // expect-one: shared-race
    __syncthreads();  // all have counted
    if (threadIdx.x == 0)
        *out = n;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    count<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
