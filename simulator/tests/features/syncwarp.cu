// feature: __syncwarp, for the whole warp and for some of its lanes

#include "check.h"

__global__ void neighbours(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(); // all lanes have written
    out[t] = s[t ^ 1];
    if (t < 8) {
        __syncwarp(0xff); // these lanes have read
        s[t] = -t;
        __syncwarp(0xff); // these lanes have written
        out[32 + t] = s[7 - t];
    }
}

int main()
{
    int *out = shared_zeros<int>(40);
    neighbours<<<1, 32>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++)
        CHECK_EQUAL(out[t], t ^ 1);
    for (int t = 0; t < 8; t++)
        CHECK_EQUAL(out[32 + t], t - 7);
    return check_result();
}
