#include "cases.h"
#include <cooperative_groups.h>

// feature: cooperative groups: thread_block and tiled_partition

namespace cg = cooperative_groups;

template <class Group>
__device__ int group_sum(Group group, int value)
{
    for (int distance = group.size() / 2; distance > 0; distance /= 2)
        value += group.shfl_down(value, distance);
    return group.shfl(value, 0);
}

__global__ void groups(int *out)
{
    __shared__ int s[64];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    s[t] = t;
    block.sync(); // the array is complete
    out[t] = s[block.size() - 1 - t];

    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    out[64 + t] = group_sum(warp, t);
    auto quad = cg::tiled_partition<4>(warp);
    out[128 + t] = group_sum(quad, t);
    out[192 + t] = quad.thread_rank() + 10 * warp.meta_group_rank() +
                   100 * quad.meta_group_size();
    out[256 + t] = warp.ballot(t % 2) + warp.any(t == 40) + 2 * warp.all(1);
    warp.sync();
    dim3 index = block.thread_index();
    out[320 + t] = index.x + block.group_index().x;
    out[384 + t] = quad.shfl_xor(t, 1) + quad.shfl_up(t, 1);
}

CASE(cooperative_groups)
{
    int *out = shared_zeros<int>(448);
    groups<<<1, 64>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) {
        CHECK_EQUAL(out[t], 63 - t);
        CHECK_EQUAL(out[64 + t], t < 32 ? 496 : 1520);
        CHECK_EQUAL(out[128 + t], t / 4 * 16 + 6);
        CHECK_EQUAL(out[192 + t], t % 4 + t / 32 * 10 + 800);
        CHECK_EQUAL((unsigned)out[256 + t], 0xaaaaaaaau + (t >= 32) + 2);
        CHECK_EQUAL(out[320 + t], t);
        CHECK_EQUAL(out[384 + t], (t ^ 1) + (t % 4 ? t - 1 : t));
    }
}
