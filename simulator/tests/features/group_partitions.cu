#include "cases.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

// feature: cooperative groups: `thread_group`, `coalesced_group`,
// `binary_partition`, `labeled_partition`, `reduce`, scans, shuffles of up to
// 32 bytes

namespace cg = cooperative_groups;

enum { T = 64 };

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

__global__ void groups(int *out)
{
    __shared__ int s[1 + T / 16];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    out[t] = ranks_of(block, &s[T / 16]);
    cg::thread_group tile = cg::tiled_partition(block, 16);
    out[T + t] = ranks_of(tile, &s[t / 16]);

    auto warp = cg::tiled_partition<32>(block);
    cg::coalesced_group odd = cg::binary_partition(warp, t % 2 == 1);
    out[2 * T + t] = cg::reduce(odd, t, cg::plus<int>());
    out[3 * T + t] = odd.size() + 100 * odd.meta_group_size();
    cg::coalesced_group label = cg::labeled_partition(warp, t % 32 / 10);
    out[4 * T + t] = cg::reduce(label, t, cg::greater<int>()) +
                     1000 * label.meta_group_rank() +
                     10000 * label.meta_group_size();
    out[5 * T + t] =
        cg::inclusive_scan(warp, 1) + 100 * cg::exclusive_scan(label, 1);
    if (t % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        wide w = {t, t * 0.5, -t};
        w = active.shfl(w, 1); // the second lane of the warp that is here
        out[6 * T + t] = (int)w.a + (int)(2 * w.b) + w.c;
    }
}

CASE(group_partitions)
{
    int *out = shared_zeros<int>(7 * T);
    groups<<<1, dim3(8, 8)>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) {
        int base = t / 32 * 32, lane = t % 32, label = lane / 10;
        CHECK_EQUAL(out[t], T * (T + 1) / 2);
        CHECK_EQUAL(out[T + t], 16 * 17 / 2);
        CHECK_EQUAL(out[2 * T + t], 16 * base + (t % 2 ? 256 : 240));
        CHECK_EQUAL(out[3 * T + t], 216);
        CHECK_EQUAL(out[4 * T + t], base + (label < 3 ? 10 * label + 9 : 31) +
                                        1000 * label + 40000);
        CHECK_EQUAL(out[5 * T + t], lane + 1 + 100 * (lane % 10));
        CHECK_EQUAL(out[6 * T + t], t % 3 ? 0 : base ? 36 : 3);
    }
}
