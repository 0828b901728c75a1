#include "cases.h"

// feature: 1024 threads per block with barriers in loops

__global__ void sum(const int *x, int *out)
{
    __shared__ int s[1024];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    s[t] = x[t];
    for (int half = 512; half > 0; half /= 2) {
        __syncthreads(); // the sums of the last round are complete
        if (t < half)
            s[t] += s[t + half];
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

CASE(nested_tiles)
{
    int *x = shared_zeros<int>(1024), *out = shared_zeros<int>(3);
    for (int i = 0; i < 1024; i++)
        x[i] = i;
    sum<<<3, dim3(32, 32)>>>(x, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 523776 && out[2] == 523776);
}
