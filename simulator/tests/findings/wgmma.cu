#include "cases.h"
#include "ptx.h"
#include <cuda_pipeline.h>

// counted only: inline PTX needs clang

/** Zeros that all threads have written, turned or not. */
#define TILES                                                                  \
    __shared__ __align__(1024) uint4 tiles[640];                               \
    for (int i = threadIdx.x; i < 640; i += 128)                               \
        tiles[i] = make_uint4(0, 0, 0, 0);

/** d += A B, whose rows are 128 bytes. */
#define MULTIPLY                                                               \
    WGMMA("bf16.bf16", d, of_128(tiles), of_128(tiles + 512), 1, "0");         \
    WGMMA_COMMIT

__device__ uint64_t of_128(const uint4 *tile)
{
    return (uint64_t)1 << 62 | (uint64_t)64 << 32 | shared(tile) >> 4;
}

// The registers of the sums may not be ready.

__global__ void without_fence(float *out)
{
    float d[4] = {};
    TILES
    FENCE_ASYNC;
    __syncthreads();
#if RIGHT
    WGMMA_FENCE;
#endif
    MULTIPLY; // expect: wgmma-fence
    WGMMA_WAIT;
    out[threadIdx.x] = d[0];
}

LAUNCH(fence, without_fence<<<1, 128>>>(room<float>(128)));

// Nobody waits for the product.

__global__ void without_wait(float *out)
{
    float d[4] = {};
    TILES
    FENCE_ASYNC;
    __syncthreads();
    WGMMA_FENCE;
    MULTIPLY; // expect: wgmma-wait
#if RIGHT
    WGMMA_WAIT;
#endif
    out[threadIdx.x] = d[0];
}

LAUNCH(wait, without_wait<<<1, 128>>>(room<float>(128)));

// What threads have stored, wgmma may not see yet.

__global__ void without_proxy(float *out)
{
    float d[4] = {};
    TILES // expect-one: proxy-fence
#if RIGHT
        FENCE_ASYNC;
#endif
    __syncthreads();
    WGMMA_FENCE;
    MULTIPLY; // expect-one: proxy-fence
    WGMMA_WAIT;
    out[threadIdx.x] = d[0];
}

LAUNCH(proxy, without_proxy<<<1, 128>>>(room<float>(128)));

// The same of what threads have copied: they store when they wait for it.

__global__ void proxy_before_wait(const uint4 *in, float *out)
{
    float d[4] = {};
    __shared__ __align__(1024) uint4 tiles[640];
    for (int i = threadIdx.x; i < 640; i += 128)
        __pipeline_memcpy_async(&tiles[i], // expect-one: proxy-fence
                                &in[i], sizeof(uint4));
    __pipeline_commit();
#if !RIGHT
    FENCE_ASYNC;
#endif
    __pipeline_wait_prior(0);
#if RIGHT
    FENCE_ASYNC;
#endif
    __syncthreads();
    WGMMA_FENCE;
    MULTIPLY; // expect-one: proxy-fence
    WGMMA_WAIT;
    out[threadIdx.x] = d[0];
}

LAUNCH(proxy_copies,
       proxy_before_wait<<<1, 128>>>(zeros<uint4>(640), room<float>(128)));

// A tile is overwritten before the product that reads it has ended.
// consequence: proxy-fence

__global__ void too_early(float *out)
{
    float d[4] = {};
    TILES
    FENCE_ASYNC;
    __syncthreads();
    WGMMA_FENCE;
    MULTIPLY; // expect-one: shared-race
#if RIGHT
    WGMMA_WAIT;
#endif
    __syncthreads();
    tiles[threadIdx.x] = make_uint4(1, 1, 1, 1); // expect-one: shared-race
#if !RIGHT
    WGMMA_WAIT;
#endif
    out[threadIdx.x] = d[0];
}

LAUNCH(early, too_early<<<1, 128>>>(room<float>(128)));

// A matrix that is swizzled does not begin where its pattern does.

__global__ void askew(float *out)
{
    float d[4] = {};
    __shared__ __align__(1024) uint4 all[640 + 8];
    uint4 *tiles = all + (RIGHT ? 0 : 8); // 128 bytes
    for (int i = threadIdx.x; i < 640 + 8; i += 128)
        all[i] = make_uint4(0, 0, 0, 0);
    FENCE_ASYNC;
    __syncthreads();
    WGMMA_FENCE;
    MULTIPLY; // expect: wgmma-start
    WGMMA_WAIT;
    out[threadIdx.x] = d[0];
}

LAUNCH(start, askew<<<1, 128>>>(room<float>(128)));

// The warps want more registers than an SM has: 3 * 168 for three groups.

__global__ void __launch_bounds__(384) greedy()
{
    if (threadIdx.x < 128)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    else if (RIGHT)
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    else
        asm volatile( // expect: register-count
            "setmaxnreg.inc.sync.aligned.u32 240;");
}

LAUNCH(registers, greedy<<<2, 384>>>());

// Three warps of a group do not take part.

__global__ void __launch_bounds__(256) some_warps()
{
    if (threadIdx.x < 128) {
        if (!RIGHT && threadIdx.x >= 32)
            return;
        asm volatile( // expect: register-count
            "setmaxnreg.dec.sync.aligned.u32 40;");
    }
}

LAUNCH(registers_group, some_warps<<<1, 256>>>());

static CUtensorMap row_of_64()
{
    return map_of(zeros<uint16_t>(64), 1, 64, 128, 1, 64);
}

// The copy engine may not see the barrier: no fence, or one that stands before
// the barrier that it is for.

template <bool EARLY>
__global__ void unseen(const __grid_constant__ CUtensorMap map, uint16_t *out)
{
    __shared__ __align__(128) uint16_t to[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        if (EARLY)
            FENCE_MBARRIER_INIT;
        MBARRIER_INIT(&barrier, 1);
#if RIGHT
        FENCE_MBARRIER_INIT;
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ARRIVE_EXPECT(&barrier, 128);
        LOAD_BOX(to, &map, 0, 0, &barrier); // expect: proxy-fence
    }
    WAIT(&barrier, 0);
    out[threadIdx.x] = to[threadIdx.x];
}

LAUNCH(barrier_init, unseen<false><<<1, 64>>>(row_of_64(), room<uint16_t>(64)));

LAUNCH(init_fence_first,
       unseen<true><<<1, 64>>>(row_of_64(), room<uint16_t>(64)));

// A box is copied over a tile before the product that reads it has ended: over
// A, or over B where A is in registers.

#define MULTIPLY_HELD                                                          \
    asm volatile("{ .reg .pred more; setp.eq.u32 more, 0, 0; "                 \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "        \
                 "{%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, more, 1, 1, 0; }"    \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])              \
                 : "r"(0), "l"(of_128(tiles + 512)));                          \
    WGMMA_COMMIT

template <bool HELD>
__global__ void box_too_early(const __grid_constant__ CUtensorMap map,
                              float *out)
{
    float d[4] = {};
    TILES
    __shared__ uint64_t barrier;
    uint4 *to = tiles + HELD * 512;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&barrier, 1);
        FENCE_MBARRIER_INIT;
    }
    FENCE_ASYNC;
    __syncthreads();
    WGMMA_FENCE;
    if (HELD) {
        MULTIPLY_HELD; // expect-one: wgmma-wait
    } else {
        MULTIPLY; // expect-one: wgmma-wait
    }
#if RIGHT
    WGMMA_WAIT;
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        ARRIVE_EXPECT(&barrier, 128);
        LOAD_BOX(to, &map, 0, 0, &barrier);
    }
    WAIT(&barrier, 0);
    WGMMA_WAIT;
    out[threadIdx.x] = d[0];
}

LAUNCH(box_early,
       box_too_early<false><<<1, 128>>>(row_of_64(), room<float>(128)));

LAUNCH(box_early_held,
       box_too_early<true><<<1, 128>>>(row_of_64(), room<float>(128)));

// A box reaches over the barrier that counts it.

__global__ void over_a_barrier(const __grid_constant__ CUtensorMap map,
                               uint16_t *out)
{
    __shared__ __align__(128) uint16_t to[128];
    uint64_t *at = (uint64_t *)to + (RIGHT ? 16 : 15);
    uint64_t &barrier = *at;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&barrier, 1);
        FENCE_MBARRIER_INIT;
        ARRIVE_EXPECT(&barrier, 128);
        LOAD_BOX(to, &map, 0, 0, &barrier); // expect: async-copy
    }
    __syncthreads();
    WAIT(&barrier, 0);
    out[threadIdx.x] = to[threadIdx.x];
}

LAUNCH(over_barrier,
       over_a_barrier<<<1, 32>>>(row_of_64(), room<uint16_t>(32)));
