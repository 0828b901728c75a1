// The warps go round a loop with a barrier a different number of times; the
// barrier after the loop meets the one inside it.

#include <cuda_runtime.h>

__global__ void loops(int *out)
{
    int rounds = 1 + threadIdx.x / 32, sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += i;
        __syncthreads(); // expect-one: barrier-divergence
    }
    __syncthreads(); // expect-one: barrier-divergence
    out[threadIdx.x] = sum;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 64 * sizeof(int));
    loops<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
