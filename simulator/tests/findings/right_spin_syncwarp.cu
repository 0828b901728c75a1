// One warp waits for another in a loop that is nothing but warp operations.

#include <cuda_runtime.h>

__global__ void wait_for_flag(volatile int *flag, int *out)
{
    if (threadIdx.x < 32) {
        while (*flag == 0)
            __syncwarp();
        out[threadIdx.x] = 1;
    } else if (threadIdx.x == 32) {
        *flag = 1;
    }
}

int main()
{
    int *flag, *out, last;
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait_for_flag<<<1, 64>>>(flag, out);
    cudaMemcpy(&last, out + 31, sizeof(int), cudaMemcpyDeviceToHost);
    return cudaDeviceSynchronize() != cudaSuccess || last != 1;
}
