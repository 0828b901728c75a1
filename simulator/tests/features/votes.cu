// feature: __ballot_sync __any_sync __all_sync __activemask;
// __syncthreads_count, _and, _or

#include "check.h"

__global__ void warp_votes(unsigned *out)
{
    int t = threadIdx.x;
    out[t] = __ballot_sync(0xffffffffu, t % 3 == 0);
    out[32 + t] = __any_sync(0xffffffffu, t == 7);
    out[64 + t] = __all_sync(0xffffffffu, t != 7);
    out[96 + t] = __all_sync(0xffffffffu, t < 32);
    if (t < 8)
        out[128 + t] = __ballot_sync(0xff, t & 1);
    out[160 + t] = __activemask();
}

__global__ void block_votes(int *out)
{
    int t = threadIdx.x;
    out[t] = __syncthreads_count(t % 4 == 0);
    out[64 + t] = __syncthreads_and(t < 64);
    out[128 + t] = __syncthreads_or(t == 63);
    out[192 + t] = __syncthreads_and(t < 63);
}

int main()
{
    unsigned *u = shared_zeros<unsigned>(192), thirds = 0;
    int *out = shared_zeros<int>(256);
    warp_votes<<<1, 32>>>(u);
    block_votes<<<1, 64>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t += 3)
        thirds |= 1u << t;
    for (int t = 0; t < 32; t++) {
        CHECK_EQUAL(u[t], thirds);
        CHECK(u[32 + t] && !u[64 + t] && u[96 + t]);
        CHECK_EQUAL(u[128 + t], t < 8 ? 0xaa : 0);
        CHECK_EQUAL(u[160 + t], 0xffffffffu);
    }
    for (int t = 0; t < 64; t++) {
        CHECK_EQUAL(out[t], 16);
        CHECK(out[64 + t] && out[128 + t] && !out[192 + t]);
    }
    return check_result();
}
