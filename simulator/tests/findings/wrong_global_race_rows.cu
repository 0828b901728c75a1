// Each thread has four numbers of its own in the first half; then some threads
// use them one by one, and not their own.

#include <cuda_runtime.h>

__global__ void rows(float4 *x, float *sums)
{
    int t = threadIdx.x;
    x[t] = make_float4(t, t, t, t); // expect-one: global-race
    float4 own = x[t];
    float *number = (float *)x;
#ifdef RIGHT
    number[4 * t] = own.x + number[4 * t + 1]; // still one's own
    __syncthreads();
    sums[t] = number[(t + 36) % 256];
    sums[t] += own.x;
    __syncthreads();
    if (t == 0)
        sums[64] = 0;
#else
    float other = number[(t + 36) % 256]; // expect-one: global-race
    sums[t] = own.x + other;
#endif
}

int main()
{
    float4 *x;
    float *sums;
    cudaMalloc((void **)&x, 96 * sizeof(float4));
    cudaMalloc((void **)&sums, 96 * sizeof(float));
    cudaMemset(x, 0, 96 * sizeof(float4));
    rows<<<1, 96>>>(x, sums);
    return cudaDeviceSynchronize();
}
