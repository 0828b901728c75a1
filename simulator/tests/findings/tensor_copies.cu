#include "cases.h"
#include "tensor_map.h"

// counted only: inline PTX needs clang

#define STORE(row)                                                             \
    asm volatile(                                                              \
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "               \
        "[%0, {%1, %2}], [%3]; cp.async.bulk.commit_group;" ::"l"(&map),       \
        "r"(0), "r"(row), "r"((int)__cvta_generic_to_shared(tile))             \
        : "memory")

__device__ void fence_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

static CUtensorMap rows_of_64()
{
    CUtensorMap map;
    CHECK(tensor_map(&map, zeros<uint16_t>(128), 2, 64, 128, 1, 64) ==
          CUDA_SUCCESS);
    return map;
}

// What threads have stored, the copy engine may not see yet.

__global__ void unfenced(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    tile[threadIdx.x] = 1; // expect-one: proxy-fence
#if RIGHT
    fence_async();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(0); // expect-one: proxy-fence
        wait_read();
    }
}

CASE(store_fence)
{
    unfenced<<<1, 64>>>(rows_of_64());
}

// The fence stands before the store that it is for.

__global__ void fenced_first(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
#if !RIGHT
    fence_async();
#endif
    tile[threadIdx.x] = 1; // expect-one: proxy-fence
#if RIGHT
    fence_async();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(0); // expect-one: proxy-fence
        wait_read();
    }
}

CASE(store_fence_first)
{
    fenced_first<<<1, 64>>>(rows_of_64());
}

// Without __grid_constant__ the map is a copy in each thread's own memory.

#if RIGHT
#define OF_ALL __grid_constant__
#else
#define OF_ALL
#endif

__global__ void own_map(const OF_ALL CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    tile[threadIdx.x] = 1;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(0); // expect: tensor-copy
        wait_read();
    }
}

CASE(map_of_a_thread)
{
    own_map<<<1, 64>>>(rows_of_64());
}

// A structure of maps, which is a __grid_constant__.

struct maps {
    CUtensorMap unused, map;
};

__global__ void two_maps(int n, const __grid_constant__ maps both)
{
    __shared__ __align__(128) uint16_t tile[64];
    const CUtensorMap &map = both.map;
    tile[threadIdx.x] = n;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(0);
        wait_read();
    }
}

CASE(structure_of_maps)
{
    two_maps<<<1, 64>>>(1, {rows_of_64(), rows_of_64()});
}

// A tile is overwritten before the copy engine has read it.
// consequence: shared-race

__global__ void reused(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    for (int row = 0; row < 2; row++) {
#if RIGHT
        if (threadIdx.x == 0)
            wait_read();
        __syncthreads(); // the copy has read the tile
#endif
        tile[threadIdx.x] = row; // expect: async-copy
        fence_async();
        __syncthreads(); // the tile is full
        if (threadIdx.x == 0)
            STORE(row);
    }
    if (threadIdx.x == 0)
        wait_read();
}

CASE(store_wait)
{
    reused<<<1, 64>>>(rows_of_64());
}

// A thread ends while the copy engine still reads shared memory.

__global__ void ends(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    tile[threadIdx.x] = 1;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(1); // expect: async-copy
#if RIGHT
        wait_read();
#endif
    }
}

CASE(store_end)
{
    ends<<<1, 64>>>(rows_of_64());
}

// A block ends while a box is on its way to it: its shared memory goes to
// another.

__global__ void left(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    __shared__ uint64_t full;
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&full);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; "
                 "fence.mbarrier_init.release.cluster;" ::"r"(barrier)
                 : "memory");
    asm volatile( // expect: async-copy
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 128; "
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
        "::complete_tx::bytes [%0], [%2, {%3, %3}], [%1];" ::"r"(
            (unsigned)__cvta_generic_to_shared(tile)),
        "r"(barrier), "l"(&map), "r"(0)
        : "memory");
#if RIGHT
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta"
                 ".b64 p, [%0], 0; @!p bra again; }" ::"r"(barrier)
                 : "memory");
#endif
}

CASE(load_end)
{
    left<<<1, 1>>>(rows_of_64());
}

// A slot is filled again though nobody has said that its products are done.
// consequence: shared-race
// consequence: barrier-overrun

enum { TURNS = 8, SLOTS = 2 };

#define WAIT(barrier, parity)                                                  \
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta" \
                 ".b64 p, [%0], %1; @!p bra again; }" ::"r"(shared(barrier)),  \
                 "r"(parity)                                                   \
                 : "memory")

__device__ unsigned shared(const void *x)
{
    return (unsigned)__cvta_generic_to_shared(x);
}

__global__ void ring(const __grid_constant__ CUtensorMap map, float *out)
{
    __shared__ __align__(1024) uint16_t slot[SLOTS][64 * 16];
    __shared__ uint64_t full[SLOTS], empty[SLOTS];
    int t = threadIdx.x;
    if (t < SLOTS)
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1; "
            "mbarrier.init.shared::cta.b64 [%1], 1; "
            "fence.mbarrier_init.release.cluster;" ::"r"(shared(&full[t])),
            "r"(shared(&empty[t]))
            : "memory");
    __syncthreads(); // initialised
    if (t >= 128) {  // the last warp brings
        for (int i = 0; t == 128 && i < TURNS; i++) {
            int s = i % SLOTS;
#if RIGHT
            WAIT(&empty[s], i / SLOTS % 2 ^ 1);
#endif
            asm volatile( // expect: async-copy
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%4], 2048; "
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
                "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                    shared(slot[s])),
                "l"(&map), "r"(0), "r"(0), "r"(shared(&full[s]))
                : "memory");
        }
        return;
    }
    float d[4] = {};
    for (int i = 0; i < TURNS; i++) {
        int s = i % SLOTS;
        uint64_t tile = (uint64_t)3 << 62 | (uint64_t)16 << 32 |
                        shared(slot[s]) >> 4; // rows of 32 bytes
        WAIT(&full[s], i / SLOTS % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile(".reg .pred more; setp.ne.b32 more, 1, 0; "
                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                     "{%0, %1, %2, %3}, %4, %4, more, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "l"(tile));
        asm volatile("wgmma.commit_group.sync.aligned; "
                     "wgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        if (t == 0) // for all four warps: their products end together
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(
                             shared(&empty[s]))
                         : "memory");
    }
    out[t] = d[0];
}

CASE(ring_wait)
{
    CUtensorMap map;
    CHECK(tensor_map(&map, zeros<uint16_t>(64 * 16), 64, 16, 32, 64, 16, 1) ==
          CUDA_SUCCESS);
    ring<<<1, 160>>>(map, room<float>(128));
}
