#include "cases.h"
#include "tensor_map.h"
#include <cuda_pipeline.h>

// counted only: inline PTX needs clang

__device__ unsigned shared(const void *x)
{
    return (unsigned)__cvta_generic_to_shared(x);
}

__device__ void fence_async()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ void fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/** Zeros that all threads have written, turned or not. */
#define TILES                                                                  \
    __shared__ __align__(1024) uint4 tiles[640];                               \
    for (int i = threadIdx.x; i < 640; i += 128)                               \
        tiles[i] = make_uint4(0, 0, 0, 0);

/** d += A B, whose rows are 128 bytes. */
#define MULTIPLY                                                               \
    asm volatile(                                                              \
        ".reg .pred more; setp.ne.b32 more, 1, 0; "                            \
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "                 \
        "{%0, %1, %2, %3}, %4, %5, more, 1, 1, 0, 0;"                          \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                       \
        : "l"((uint64_t)1 << 62 | (uint64_t)64 << 32 | shared(tiles) >> 4),    \
          "l"((uint64_t)1 << 62 | (uint64_t)64 << 32 |                         \
              shared(tiles + 512) >> 4))

__device__ void commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__device__ void wait()
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// The registers of the sums may not be ready.

__global__ void without_fence(float *out)
{
    float d[4] = {};
    TILES
    fence_async();
    __syncthreads();
#if RIGHT
    fence();
#endif
    MULTIPLY; // expect: wgmma-fence
    commit();
    wait();
    out[threadIdx.x] = d[0];
}

CASE(fence)
{
    without_fence<<<1, 128>>>(room<float>(128));
}

// Nobody waits for the product.

__global__ void without_wait(float *out)
{
    float d[4] = {};
    TILES
    fence_async();
    __syncthreads();
    fence();
    MULTIPLY; // expect: wgmma-wait
    commit();
#if RIGHT
    wait();
#endif
    out[threadIdx.x] = d[0];
}

CASE(wait)
{
    without_wait<<<1, 128>>>(room<float>(128));
}

// What threads have stored, wgmma may not see yet.

__global__ void without_proxy(float *out)
{
    float d[4] = {};
    TILES // expect-one: proxy-fence
#if RIGHT
    fence_async();
#endif
    __syncthreads();
    fence();
    MULTIPLY; // expect-one: proxy-fence
    commit();
    wait();
    out[threadIdx.x] = d[0];
}

CASE(proxy)
{
    without_proxy<<<1, 128>>>(room<float>(128));
}

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
    fence_async();
#endif
    __pipeline_wait_prior(0);
#if RIGHT
    fence_async();
#endif
    __syncthreads();
    fence();
    MULTIPLY; // expect-one: proxy-fence
    commit();
    wait();
    out[threadIdx.x] = d[0];
}

CASE(proxy_copies)
{
    proxy_before_wait<<<1, 128>>>(zeros<uint4>(640), room<float>(128));
}

// A tile is overwritten before the product that reads it has ended.
// consequence: proxy-fence

__global__ void too_early(float *out)
{
    float d[4] = {};
    TILES
    fence_async();
    __syncthreads();
    fence();
    MULTIPLY; // expect-one: shared-race
    commit();
#if RIGHT
    wait();
#endif
    __syncthreads();
    tiles[threadIdx.x] = make_uint4(1, 1, 1, 1); // expect-one: shared-race
#if !RIGHT
    wait();
#endif
    out[threadIdx.x] = d[0];
}

CASE(early)
{
    too_early<<<1, 128>>>(room<float>(128));
}

// A matrix that is swizzled does not begin where its pattern does.

__global__ void askew(float *out)
{
    float d[4] = {};
    __shared__ __align__(1024) uint4 all[640 + 8];
    uint4 *tiles = all + (RIGHT ? 0 : 8); // 128 bytes
    for (int i = threadIdx.x; i < 640 + 8; i += 128)
        all[i] = make_uint4(0, 0, 0, 0);
    fence_async();
    __syncthreads();
    fence();
    MULTIPLY; // expect: wgmma-start
    commit();
    wait();
    out[threadIdx.x] = d[0];
}

CASE(start)
{
    askew<<<1, 128>>>(room<float>(128));
}

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

CASE(registers)
{
    greedy<<<2, 384>>>();
}

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

CASE(registers_group)
{
    some_warps<<<1, 256>>>();
}

static CUtensorMap row_of_64()
{
    CUtensorMap map;
    CHECK(tensor_map(&map, zeros<uint16_t>(64), 1, 64, 128, 1, 64) ==
          CUDA_SUCCESS);
    return map;
}

/** Wait for the end of its first phase. */
__device__ void wait_for(uint64_t *barrier)
{
    asm volatile("{ .reg .pred done; "
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
                 "0; @!done bra again; }" ::"r"(shared(barrier))
                 : "memory");
}

// The copy engine may not see the barrier.

#define COPY_BOX                                                               \
    asm volatile(                                                              \
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"              \
        "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),  \
        "l"(&map), "r"(0), "r"(0), "r"(shared(&barrier))                       \
        : "memory")

__global__ void unseen(const __grid_constant__ CUtensorMap map, uint16_t *out)
{
    __shared__ __align__(128) uint16_t to[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&barrier)));
#if RIGHT
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
                     "128;" ::"r"(shared(&barrier))
                     : "memory");
        COPY_BOX; // expect: proxy-fence
    }
    __syncthreads();
    wait_for(&barrier);
    out[threadIdx.x] = to[threadIdx.x];
}

CASE(barrier_init)
{
    unseen<<<1, 64>>>(row_of_64(), room<uint16_t>(64));
}

// The fence stands before the barrier that it is for.

__global__ void fenced_first(const __grid_constant__ CUtensorMap map,
                             uint16_t *out)
{
    __shared__ __align__(128) uint16_t to[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
#if !RIGHT
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&barrier)));
#if RIGHT
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
                     "128;" ::"r"(shared(&barrier))
                     : "memory");
        COPY_BOX; // expect: proxy-fence
    }
    wait_for(&barrier);
    out[threadIdx.x] = to[threadIdx.x];
}

CASE(init_fence_first)
{
    fenced_first<<<1, 64>>>(row_of_64(), room<uint16_t>(64));
}

// A box is copied over a tile before the product that reads it has ended.

__global__ void box_too_early(const __grid_constant__ CUtensorMap map,
                              float *out)
{
    float d[4] = {};
    TILES
    __shared__ uint64_t barrier;
    uint4 *to = tiles;
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1; "
            "fence.mbarrier_init.release.cluster;" ::"r"(shared(&barrier)));
    fence_async();
    __syncthreads();
    fence();
    MULTIPLY; // expect-one: wgmma-wait
    commit();
#if RIGHT
    wait();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
                     "128;" ::"r"(shared(&barrier))
                     : "memory");
        COPY_BOX;
    }
    wait_for(&barrier);
    wait();
    out[threadIdx.x] = d[0];
}

CASE(box_early)
{
    box_too_early<<<1, 128>>>(row_of_64(), room<float>(128));
}

// A box reaches over the barrier that counts it.

__global__ void over_a_barrier(const __grid_constant__ CUtensorMap map,
                               uint16_t *out)
{
    __shared__ __align__(128) uint16_t to[128];
    uint64_t *at = (uint64_t *)to + (RIGHT ? 16 : 15);
    uint64_t &barrier = *at;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; "
                     "fence.mbarrier_init.release.cluster; "
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
                     "128;" ::"r"(shared(&barrier))
                     : "memory");
        COPY_BOX; // expect: async-copy
    }
    __syncthreads();
    wait_for(&barrier);
    out[threadIdx.x] = to[threadIdx.x];
}

CASE(over_barrier)
{
    over_a_barrier<<<1, 32>>>(row_of_64(), room<uint16_t>(32));
}
