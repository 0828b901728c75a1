#include "cases.h"

#define ALL 0xffffffffu

// feature: __shfl_sync, _up, _down, _xor; segments; int, float, 64 bits

__global__ void shuffles()
{
    int t = threadIdx.x;
    CHECK_EQUAL(__shfl_sync(ALL, t * 10, 5), 50);
    CHECK_EQUAL(__shfl_up_sync(ALL, t, 3), t < 3 ? t : t - 3);
    CHECK_EQUAL(__shfl_down_sync(ALL, t, 3), t > 28 ? t : t + 3);
    CHECK_EQUAL(__shfl_xor_sync(ALL, t, 5), t ^ 5);
    CHECK_EQUAL(__shfl_sync(ALL, t, 3, 8), t / 8 * 8 + 3);
    CHECK_EQUAL(__shfl_up_sync(ALL, t, 3, 8), t % 8 < 3 ? t : t - 3);
    CHECK_EQUAL(__shfl_down_sync(ALL, t, 3, 8), t % 8 > 4 ? t : t + 3);
    CHECK_EQUAL(__shfl_xor_sync(ALL, t + 0.5f, 1), (t ^ 1) + 0.5f);
    CHECK_EQUAL(__shfl_xor_sync(ALL, t + 0.25, 1), (t ^ 1) + 0.25);
    CHECK_EQUAL(__shfl_xor_sync(ALL, (long long)t << 40, 1), (long long)(t ^ 1)
                                                                 << 40);
    CHECK_EQUAL(__shfl_down_sync(ALL, 0x80000000u + t, 1),
                0x80000000u + min(t + 1, 31));
    /* Of a lane, a delta or a lane mask the lowest five bits count. */
    CHECK_EQUAL(__shfl_sync(ALL, t, t + 37), (t + 37) % 32);
    CHECK_EQUAL(__shfl_up_sync(ALL, t, 33), t < 1 ? t : t - 1);
    CHECK_EQUAL(__shfl_down_sync(ALL, t, -31), t > 30 ? t : t + 1);
    CHECK_EQUAL(__shfl_xor_sync(ALL, t, 32 + 5), t ^ 5);
    CHECK_EQUAL(__shfl_sync(ALL, t, -1), 31);
    if (t >= 16)
        CHECK_EQUAL(__shfl_xor_sync(0xffff0000u, t, 15), t ^ 15);
}

LAUNCH(shuffles, shuffles<<<1, 32>>>());

// feature: __ballot_sync __any_sync __all_sync __activemask;
// __syncthreads_count, _and, _or

__global__ void warp_votes()
{
    int t = threadIdx.x;
    CHECK_EQUAL(__ballot_sync(ALL, t % 3 == 0), 0x49249249);
    CHECK(__any_sync(ALL, t == 7));
    CHECK(!__all_sync(ALL, t != 7));
    CHECK(__all_sync(ALL, t < 32));
    if (t < 8)
        CHECK_EQUAL(__ballot_sync(0xff, t & 1), 0xaa);
    __syncwarp();
    CHECK_EQUAL(__activemask(), ALL);
}

__global__ void block_votes()
{
    int t = threadIdx.x;
    CHECK_EQUAL(__syncthreads_count(t % 4 == 0), 16);
    CHECK(__syncthreads_and(t < 64));
    CHECK(__syncthreads_or(t == 63));
    CHECK(!__syncthreads_and(t < 63));
}

CASE(votes)
{
    warp_votes<<<1, 32>>>();
    block_votes<<<1, 64>>>();
}

// feature: __match_any_sync, __match_all_sync

__global__ void match()
{
    int t = threadIdx.x, all = -1;
    CHECK_EQUAL(__match_any_sync(ALL, t % 4), 0x11111111u << t % 4);
    CHECK_EQUAL(__match_all_sync(ALL, t / 32, &all), ALL);
    CHECK(all);
    CHECK_EQUAL(__match_all_sync(ALL, t / 31, &all), 0);
    CHECK(!all);
    CHECK_EQUAL(__match_any_sync(ALL, (long long)(t / 16) << 40),
                t < 16 ? 0xffffu : 0xffff0000u);
}

LAUNCH(match, match<<<1, 32>>>());

// feature: __reduce_add_sync, _min, _max, _and, _or, _xor

__global__ void reduce()
{
    int t = threadIdx.x;
    CHECK_EQUAL(__reduce_add_sync(ALL, t - 10), 176);
    CHECK_EQUAL(__reduce_min_sync(ALL, 5 - t), -26);
    CHECK_EQUAL(__reduce_max_sync(ALL, 5 - t), 5);
    CHECK_EQUAL(__reduce_min_sync(ALL, (unsigned)(5 - t)), 0);
    CHECK_EQUAL(__reduce_max_sync(ALL, (unsigned)(5 - t)), ALL);
    CHECK_EQUAL(__reduce_and_sync(ALL, 0xf0u | t), 0xf0);
    CHECK_EQUAL(__reduce_or_sync(ALL, 1u << t % 8), 0xff);
    CHECK_EQUAL(__reduce_xor_sync(ALL, 1u << t % 31), 0x7ffffffeu);
    CHECK_EQUAL(__reduce_add_sync(ALL, 0x10000000u), 0); // 2^33 wraps
}

LAUNCH(reduce_sync, reduce<<<1, 32>>>());

// feature: __syncwarp, for the whole warp and for some of its lanes

__global__ void neighbours()
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(); // all lanes have written
    CHECK_EQUAL(s[t ^ 1], t ^ 1);
    if (t < 8) {
        __syncwarp(0xff); // these lanes have read
        s[t] = -t;
        __syncwarp(0xff); // these lanes have written
        CHECK_EQUAL(s[7 - t], t - 7);
    }
}

LAUNCH(syncwarp, neighbours<<<1, 32>>>());
