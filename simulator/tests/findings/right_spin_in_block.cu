// Warps of one block talk through an atomic flag in shared memory: the waiting
// warp spins, and the simulator must let the other one run meanwhile.

#include <cuda_runtime.h>

__global__ void wait_for_the_other(int *out)
{
    __shared__ int value, ready;
    if (threadIdx.x == 0)
        value = ready = 0;
    __syncthreads(); // both are 0
    if (threadIdx.x == 0) {
        while (atomicAdd(&ready, 0) == 0) {
        }
        __threadfence_block(); // the flag before the value
        out[0] = atomicAdd(&value, 0);
    } else if (threadIdx.x == 32) {
        atomicExch(&value, 7);
        __threadfence_block(); // the value before the flag
        atomicExch(&ready, 1);
    }
}

int main()
{
    int *out, value;
    cudaMalloc((void **)&out, sizeof(int));
    wait_for_the_other<<<1, 64>>>(out);
    cudaMemcpy(&value, out, sizeof(int), cudaMemcpyDeviceToHost);
    return value != 7;
}
