// An atomic addition is safe among atomics, not beside an ordinary load.

#include <cuda_runtime.h>

__global__ void count(int *out)
{
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0)
        total = 0;
    __syncthreads(); // total is 0
    if (t < 32)
        atomicAdd(&total, 1); // expect-one: shared-race
#ifdef RIGHT
    __syncthreads(); // all have added
#endif
    if (t == 32)
        out[0] = total; // expect-one: shared-race
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, sizeof(int));
    count<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
