// volatile makes the compiler load and store each time; it orders nothing. Flag
// and value belong to a fence and to atomics.

#include <cuda_runtime.h>

__global__ void signal(int *out)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads(); // ready is 0
    if (threadIdx.x == 32)
        ready = 1; // expect-one: shared-race
    if (threadIdx.x == 0)
        out[0] = ready; // expect-one: shared-race
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    signal<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
