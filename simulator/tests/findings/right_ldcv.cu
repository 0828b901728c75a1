// __ldcv reads memory each time: it may wait for what another block writes.

#include <cuda_runtime.h>

__global__ void hand_over(int *flag, int *value, int *out)
{
    if (blockIdx.x == 0) {
        *value = 7;
        __threadfence(); // the value before the flag
        atomicExch(flag, 1);
    } else {
        while (__ldcv(flag) == 0) {
        }
        __threadfence(); // the flag before the value
        *out = *value;
    }
}

int main()
{
    int *flag, *value, *out, got;
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMalloc((void **)&value, sizeof(int));
    cudaMalloc((void **)&out, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    hand_over<<<2, 1>>>(flag, value, out);
    cudaMemcpy(&got, out, sizeof(int), cudaMemcpyDeviceToHost);
    return got != 7;
}
