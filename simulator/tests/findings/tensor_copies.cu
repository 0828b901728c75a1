#include "cases.h"
#include "ptx.h"

// counted only: inline PTX needs clang

static CUtensorMap rows_of_64()
{
    return map_of(zeros<uint16_t>(128), 2, 64, 128, 1, 64);
}

// What threads have stored, the copy engine may not see yet: no fence, or one
// that stands before the store that it is for.

template <bool EARLY>
__global__ void unfenced(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    if (EARLY)
        FENCE_ASYNC;
    tile[threadIdx.x] = 1; // expect-one: proxy-fence
#if RIGHT
    FENCE_ASYNC;
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BOX(&map, 0, 0, tile); // expect-one: proxy-fence
        WAIT_READ;
    }
}

LAUNCH(store_fence, unfenced<false><<<1, 64>>>(rows_of_64()));

LAUNCH(store_fence_first, unfenced<true><<<1, 64>>>(rows_of_64()));

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
    FENCE_ASYNC;
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BOX(&map, 0, 0, tile); // expect: tensor-copy
        WAIT_READ;
    }
}

LAUNCH(map_of_a_thread, own_map<<<1, 64>>>(rows_of_64()));

// A structure of maps, which is a __grid_constant__.

struct maps {
    CUtensorMap unused, map;
};

__global__ void two_maps(int n, const __grid_constant__ maps both)
{
    __shared__ __align__(128) uint16_t tile[64];
    const CUtensorMap &map = both.map;
    tile[threadIdx.x] = n;
    FENCE_ASYNC;
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BOX(&map, 0, 0, tile);
        WAIT_READ;
    }
}

LAUNCH(structure_of_maps, two_maps<<<1, 64>>>(1, {rows_of_64(), rows_of_64()}));

// A tile is overwritten before the copy engine has read it.
// consequence: shared-race

__global__ void reused(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    for (int row = 0; row < 2; row++) {
#if RIGHT
        if (threadIdx.x == 0)
            WAIT_READ;
        __syncthreads(); // the copy has read the tile
#endif
        tile[threadIdx.x] = row; // expect: async-copy
        FENCE_ASYNC;
        __syncthreads(); // the tile is full
        if (threadIdx.x == 0)
            STORE_BOX(&map, row, 0, tile);
    }
    if (threadIdx.x == 0)
        WAIT_READ;
}

LAUNCH(store_wait, reused<<<1, 64>>>(rows_of_64()));

// A thread ends while the copy engine still reads shared memory.

__global__ void ends(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    tile[threadIdx.x] = 1;
    FENCE_ASYNC;
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_BOX(&map, 1, 0, tile); // expect: async-copy
#if RIGHT
        WAIT_READ;
#endif
    }
}

LAUNCH(store_end, ends<<<1, 64>>>(rows_of_64()));

// A block ends while a box is on its way to it: its shared memory goes to
// another.

__global__ void left(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) uint16_t tile[64];
    __shared__ uint64_t full;
    MBARRIER_INIT(&full, 1);
    FENCE_MBARRIER_INIT;
    ARRIVE_EXPECT(&full, 128);
    LOAD_BOX(tile, &map, 0, 0, &full); // expect: async-copy
#if RIGHT
    WAIT(&full, 0);
#endif
}

LAUNCH(load_end, left<<<1, 1>>>(rows_of_64()));

// A slot is filled again though nobody has said that its products are done.
// consequence: shared-race

enum { TURNS = 8, SLOTS = 2 };

__global__ void ring(const __grid_constant__ CUtensorMap map, float *out)
{
    __shared__ __align__(1024) uint16_t slot[SLOTS][64 * 16];
    __shared__ uint64_t full[SLOTS], empty[SLOTS];
    int t = threadIdx.x;
    if (t < SLOTS) {
        MBARRIER_INIT(&full[t], 1);
        MBARRIER_INIT(&empty[t], 1);
        FENCE_MBARRIER_INIT;
    }
    __syncthreads(); // initialised
    if (t >= 128) {  // the last warp brings
        for (int i = 0; t == 128 && i < TURNS; i++) {
            int s = i % SLOTS;
#if RIGHT
            WAIT(&empty[s], i / SLOTS % 2 ^ 1);
#endif
            ARRIVE_EXPECT(&full[s], 2048);           // expect: barrier-overrun
            LOAD_BOX(slot[s], &map, 0, 0, &full[s]); // expect: async-copy
        }
        return;
    }
    float d[4] = {};
    for (int i = 0; i < TURNS; i++) {
        int s = i % SLOTS;
        uint64_t tile = (uint64_t)3 << 62 | (uint64_t)16 << 32 |
                        shared(slot[s]) >> 4; // rows of 32 bytes
        WAIT(&full[s], i / SLOTS % 2);
        WGMMA_FENCE;
        WGMMA("bf16.bf16", d, tile, tile, 1, "0");
        WGMMA_COMMIT;
        WGMMA_WAIT;
        if (t == 0) // for all four warps: their products end together
            ARRIVE(&empty[s]);
    }
    out[t] = d[0];
}

LAUNCH(ring_wait,
       ring<<<1, 160>>>(map_of(zeros<uint16_t>(64 * 16), 64, 16, 32, 64, 16, 1),
                        room<float>(128)));
