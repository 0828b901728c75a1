// The barrier is there before anybody arrives.

#include <cuda/barrier>
#include <cuda_runtime.h>

__global__ void meet(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0)
        init(&all, blockDim.x);
    __syncthreads(); // the barrier is initialised
    all.arrive_and_wait();
    data[threadIdx.x] = 1;
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    meet<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
