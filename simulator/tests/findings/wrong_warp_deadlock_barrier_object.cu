// The barrier expects one thread more than there are.

#include <cuda/barrier>
#include <cuda_runtime.h>

__global__ void meet(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0)
        init(&all, blockDim.x + 1);
    __syncthreads();       // the barrier is initialised
    all.arrive_and_wait(); // expect: warp-deadlock
    data[threadIdx.x] = 1;
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    meet<<<1, 64>>>(data);
    cudaDeviceSynchronize();
    return 0;
}
