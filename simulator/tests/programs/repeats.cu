// Launches of two shapes, again and again; the fourth one has a race.

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

__global__ void fma(float *x, bool race)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    x += blockIdx.x * 32;
    s[t] = x[t] * 2.0f + 1.0f;
    if (!race)
        __syncthreads(); // all are there
    x[t] = fmaf(s[31 - t], 2.0f, 1.0f);
}

int main()
{
    float *x;
    cudaMalloc((void **)&x, 64 * sizeof(float));
    cudaMemset(x, 0, 64 * sizeof(float));
    fma<<<1, 32>>>(x, false);
    fma<<<1, 32>>>(x, false);
    fma<<<2, 32>>>(x, false);
    fma<<<1, 32>>>(x, true);
    fma<<<2, 32>>>(x, false);
    cudaProfilerStart();
    fma<<<1, 32>>>(x, false);
    fma<<<1, 32>>>(x, false);
    cudaProfilerStop();
    return cudaDeviceSynchronize();
}
