// feature: __shfl_sync, _up, _down, _xor; segments; int, float, 64 bits

#include "check.h"

#define ALL 0xffffffffu

__global__ void shuffles(int *out)
{
    int t = threadIdx.x;
    out[t] = __shfl_sync(ALL, t * 10, 5);
    out[32 + t] = __shfl_up_sync(ALL, t, 3);
    out[64 + t] = __shfl_down_sync(ALL, t, 3);
    out[96 + t] = __shfl_xor_sync(ALL, t, 5);
    out[128 + t] = __shfl_sync(ALL, t, 3, 8);
    out[160 + t] = __shfl_up_sync(ALL, t, 3, 8);
    out[192 + t] = __shfl_down_sync(ALL, t, 3, 8);
    out[224 + t] = __shfl_sync(ALL, t, t + 37); // lane modulo 32
}

__global__ void types(float *f, double *d, long long *ll, unsigned *u)
{
    int t = threadIdx.x;
    f[t] = __shfl_xor_sync(ALL, t + 0.5f, 1);
    d[t] = __shfl_xor_sync(ALL, t + 0.25, 1);
    ll[t] = __shfl_xor_sync(ALL, (long long)t << 40, 1);
    u[t] = __shfl_down_sync(ALL, 0x80000000u + t, 1);
}

__global__ void half(int *out)
{
    int t = threadIdx.x;
    if (t >= 16)
        out[t] = __shfl_xor_sync(0xffff0000u, t, 15);
}

/** Of a lane, a delta or a lane mask the lowest five bits count. */
__global__ void modulo_32(int *out)
{
    int t = threadIdx.x;
    out[t] = __shfl_up_sync(0xffffffff, t, 33);
    out[32 + t] = __shfl_down_sync(0xffffffff, t, -31);
    out[64 + t] = __shfl_xor_sync(0xffffffff, t, 32 + 5);
    out[96 + t] = __shfl_sync(0xffffffff, t, -1);
}

int main()
{
    int *out = shared_zeros<int>(256);
    shuffles<<<1, 32>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(out[t], 50);
        CHECK_EQUAL(out[32 + t], t < 3 ? t : t - 3);
        CHECK_EQUAL(out[64 + t], t > 28 ? t : t + 3);
        CHECK_EQUAL(out[96 + t], t ^ 5);
        CHECK_EQUAL(out[128 + t], t / 8 * 8 + 3);
        CHECK_EQUAL(out[160 + t], t % 8 < 3 ? t : t - 3);
        CHECK_EQUAL(out[192 + t], t % 8 > 4 ? t : t + 3);
        CHECK_EQUAL(out[224 + t], (t + 37) % 32);
    }
    float *f = shared_zeros<float>(32);
    double *d = shared_zeros<double>(32);
    long long *ll = shared_zeros<long long>(32);
    unsigned *u = shared_zeros<unsigned>(32);
    types<<<1, 32>>>(f, d, ll, u);
    half<<<1, 32>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(f[6] == 7.5f && d[6] == 7.25 && ll[6] == 7ll << 40);
    CHECK(u[3] == 0x80000004u && u[31] == 0x8000001fu);
    for (int t = 16; t < 32; t++)
        CHECK_EQUAL(out[t], t ^ 15);
    modulo_32<<<1, 32>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(out[t], t < 1 ? t : t - 1);
        CHECK_EQUAL(out[32 + t], t > 30 ? t : t + 1);
        CHECK_EQUAL(out[64 + t], t ^ 5);
        CHECK_EQUAL(out[96 + t], 31);
    }
    return check_result();
}
