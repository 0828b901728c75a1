#include "cases.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

// feature: cooperative groups: tiles of 64 threads and more,
// `block_tile_memory`

namespace cg = cooperative_groups;

enum { T = 256, SIZE = 64 };

__global__ void tiles(int *out)
{
    __shared__ cg::block_tile_memory<T> room;
    __shared__ int s[T];
    cg::thread_block block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<SIZE>(block);
    int t = block.thread_rank(), rank = tile.thread_rank();
    if (tile.meta_group_rank() == 3)
        return; // the others do not wait for this tile
    for (int i = 0; i < 3; i++) {
        s[t] = t + i;
        tile.sync(); // all values of the tile are there
        out[t] = s[t - rank + (rank + 33) % SIZE];
        tile.sync(); // all have been read
    }
    out[T + t] = cg::reduce(tile, t, cg::plus<int>());
    out[2 * T + t] = tile.any(t == 100) + 2 * tile.all(t < 100) +
                     10 * tile.meta_group_size() + 100 * tile.shfl(rank, 63);
}

CASE(large_tiles)
{
    int *out = shared_zeros<int>(3 * T);
    tiles<<<1, T>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < T - SIZE; t++) {
        int first = t / SIZE * SIZE;
        CHECK_EQUAL(out[t], first + (t - first + 33) % SIZE + 2);
        CHECK_EQUAL(out[T + t], SIZE * first + 63 * 32);
        CHECK_EQUAL(out[2 * T + t],
                    (first == 64) + 2 * (first == 0) + 40 + 6300);
    }
}
