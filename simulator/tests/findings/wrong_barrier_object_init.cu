// No barrier between the thread that initialises and those that arrive.

#include <cuda/barrier>
#include <cuda_runtime.h>

__global__ void meet(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0)
        init(&all, blockDim.x);
#ifdef RIGHT
    __syncthreads(); // the barrier is initialised
#endif
    all.arrive_and_wait(); // expect: shared-race
    data[threadIdx.x] = 1;
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    meet<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
