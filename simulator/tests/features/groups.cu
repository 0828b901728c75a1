#include "cases.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// feature: cooperative groups: thread_block and tiled_partition

template <class Group>
__device__ int group_sum(Group group, int value)
{
    for (int distance = group.size() / 2; distance > 0; distance /= 2)
        value += group.shfl_down(value, distance);
    return group.shfl(value, 0);
}

__global__ void groups()
{
    __shared__ int s[64];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    s[t] = t;
    block.sync(); // the array is complete
    CHECK_EQUAL(s[block.size() - 1 - t], 63 - t);
    CHECK(block.thread_index().x == t && block.group_index().x == 0);

    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    CHECK_EQUAL(group_sum(warp, t), t < 32 ? 496 : 1520);
    CHECK_EQUAL(warp.meta_group_rank(), t / 32);
    CHECK_EQUAL(warp.ballot(t % 2), 0xaaaaaaaau);
    CHECK(warp.any(t == 40) == (t >= 32) && warp.all(1));
    warp.sync();
    auto quad = cg::tiled_partition<4>(warp);
    CHECK_EQUAL(group_sum(quad, t), t / 4 * 16 + 6);
    CHECK(quad.thread_rank() == t % 4 && quad.meta_group_size() == 8);
    CHECK_EQUAL(quad.shfl_xor(t, 1), t ^ 1);
    CHECK_EQUAL(quad.shfl_up(t, 1), t % 4 ? t - 1 : t);
}

LAUNCH(cooperative_groups, groups<<<1, 64>>>());

// feature: cooperative groups: `thread_group`, `coalesced_group`,
// `binary_partition`, `labeled_partition`, `reduce`, scans, shuffles of up to
// 32 bytes

struct wide {
    long long a;
    double b;
    int c;
};

__device__ int ranks_of(cg::thread_group group, int *s)
{
    if (group.thread_rank() == 0)
        *s = 0;
    group.sync();
    atomicAdd(s, (int)group.thread_rank() + 1);
    group.sync();
    int sum = *s;
    group.sync();
    return sum;
}

__global__ void partitions()
{
    enum { T = 64 };
    __shared__ int s[1 + T / 16];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank(), base = t / 32 * 32, lane = t % 32;
    CHECK_EQUAL(ranks_of(block, &s[T / 16]), T * (T + 1) / 2);
    cg::thread_group tile = cg::tiled_partition(block, 16);
    CHECK_EQUAL(ranks_of(tile, &s[t / 16]), 16 * 17 / 2);

    auto warp = cg::tiled_partition<32>(block);
    cg::coalesced_group odd = cg::binary_partition(warp, t % 2 == 1);
    CHECK_EQUAL(cg::reduce(odd, t, cg::plus<int>()),
                16 * base + (t % 2 ? 256 : 240));
    CHECK(odd.size() == 16 && odd.meta_group_size() == 2);
    cg::coalesced_group label = cg::labeled_partition(warp, lane / 10);
    CHECK_EQUAL(cg::reduce(label, t, cg::greater<int>()),
                base + min(lane / 10 * 10 + 9, 31));
    CHECK_EQUAL(label.meta_group_rank(), lane / 10);
    CHECK_EQUAL(label.meta_group_size(), 4);
    CHECK_EQUAL(cg::inclusive_scan(warp, 1), lane + 1);
    CHECK_EQUAL(cg::exclusive_scan(label, 1), lane % 10);
    if (t % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        wide w = {t, t * 0.5, -t};
        w = active.shfl(w, 1); // the second lane of the warp that is here
        int second = base ? 36 : 3;
        CHECK(w.a == second && w.b == second * 0.5 && w.c == -second);
    }
}

LAUNCH(group_partitions, partitions<<<1, dim3(8, 8)>>>());

// feature: cooperative groups: tiles of 64 threads and more,
// `block_tile_memory`

__global__ void tiles()
{
    enum { T = 256, SIZE = 64 };
    __shared__ cg::block_tile_memory<T> room;
    __shared__ int s[T];
    cg::thread_block block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<SIZE>(block);
    int t = block.thread_rank(), rank = tile.thread_rank(), first = t - rank;
    if (tile.meta_group_rank() == 3)
        return; // the others do not wait for this tile
    for (int i = 0; i < 3; i++) {
        s[t] = t + i;
        tile.sync(); // all values of the tile are there
        CHECK_EQUAL(s[first + (rank + 33) % SIZE],
                    first + (rank + 33) % SIZE + i);
        tile.sync(); // all have been read
    }
    CHECK_EQUAL(cg::reduce(tile, t, cg::plus<int>()), SIZE * first + 63 * 32);
    CHECK_EQUAL(tile.any(t == 100), first == 64);
    CHECK_EQUAL(tile.all(t < 100), first == 0);
    CHECK_EQUAL(tile.meta_group_size(), 4);
    CHECK_EQUAL(tile.shfl(rank, 63), 63);
}

LAUNCH(large_tiles, tiles<<<1, 256>>>());

// feature: cooperative launches: cudaLaunchCooperativeKernel, `grid.sync()`

enum { T = 64, BLOCKS = 20, STEPS = 4 };

// each step adds the right neighbour's value of the step before, across blocks
__global__ void steps(int *x, int *y)
{
    __shared__ int kept[T];
    extern __shared__ int more[];
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size(), t = threadIdx.x;
    kept[t] = 7 * i;
    more[t] = -i;
    for (int step = 0; step < STEPS; step++) {
        y[i] = x[i] + x[(i + 1) % n];
        grid.sync(); // all sums are there
        x[i] = y[i];
        grid.sync(); // and in their place
    }
    CHECK(kept[t] == 7 * i && more[t] == -i && grid.is_valid());
}

CASE(cooperative_launch)
{
    int n = T * BLOCKS, expected[T * BLOCKS];
    int *x = shared_zeros<int>(n), *y = shared_zeros<int>(n), cooperative = 0;
    CHECK_CUDA(
        cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    CHECK_EQUAL(cooperative, 1);
    for (int i = 0; i < n; i++)
        expected[i] = x[i] = i * i % 101;
    void *args[] = {&x, &y};
    CHECK_CUDA(cudaLaunchCooperativeKernel((void *)steps, dim3(BLOCKS), dim3(T),
                                           args, T * sizeof(int), 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int step = 0; step < STEPS; step++) {
        int first = expected[0];
        for (int i = 0; i < n; i++)
            expected[i] += i + 1 < n ? expected[i + 1] : first;
    }
    for (int i = 0; i < n; i++)
        CHECK_EQUAL(x[i], expected[i]);

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(BLOCKS);
    config.blockDim = dim3(T);
    config.dynamicSmemBytes = T * sizeof(int);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, steps, x, y));
}

// feature: blocks of a cooperative launch that wait for flags of later blocks

// in each round a block waits for the flag of the next one, in a circle
__global__ void circle(volatile int *flags)
{
    __shared__ int kept[32];
    int t = threadIdx.x;
    kept[t] = blockIdx.x + t;
    __syncwarp();
    for (int round = 1; round <= 3; round++) {
        if (t == 0) {
            flags[blockIdx.x] = round;
            while (flags[(blockIdx.x + 1) % gridDim.x] < round)
                __nanosleep(20);
        }
        __syncthreads(); // all blocks so far have come to this round
    }
    CHECK_EQUAL(kept[31 - t], blockIdx.x + 31 - t);
}

CASE(resident_blocks)
{
    int *flags = zeros<int>(40);
    void *args[] = {&flags};
    CHECK_CUDA(cudaLaunchCooperativeKernel((void *)circle, 40, 32, args, 0, 0));
}
