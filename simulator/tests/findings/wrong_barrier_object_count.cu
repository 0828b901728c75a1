// The barrier expects half of the threads that arrive.

#include <cuda/barrier>
#include <cuda_runtime.h>

__global__ void meet(int *data)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    if (threadIdx.x == 0)
        init(&all, blockDim.x / 2 + 1);
    __syncthreads();            // the barrier is initialised
    auto token = all.arrive(2); // expect: barrier-overrun
    all.wait(std::move(token));
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
