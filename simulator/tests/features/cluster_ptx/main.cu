#include "../../check.h"
#include <cooperative_groups.h>
#include <stdint.h>

namespace cg = cooperative_groups;

// feature: `__cluster_dims__`; in PTX `%cluster_ctarank`, mapa,
// barrier.cluster, arrivals at another block's mbarrier, bar.sync of some warps
// counted only: inline PTX needs clang

__device__ unsigned shared(const void *x)
{
    return (unsigned)__cvta_generic_to_shared(x);
}

/** Each block hands its rank on, by a barrier of the next one. */
__global__ void __cluster_dims__(4, 1, 1) around(int *out)
{
    __shared__ uint64_t barrier;
    unsigned rank, blocks;
    asm volatile("mov.u32 %0, %%cluster_ctarank; "
                 "mov.u32 %1, %%cluster_nctarank;"
                 : "=r"(rank), "=r"(blocks));
    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(&barrier)),
            "r"(1));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned; "
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (threadIdx.x == 0 && rank > 0)
        asm volatile(
            "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 "
            "p, [%0], 0; @!p bra again; }" ::"r"(shared(&barrier))
            : "memory");
    if (threadIdx.x == 0) {
        out[blockIdx.x] = rank == 0 ? 1 : 2 * out[blockIdx.x - 1];
        __threadfence();
        asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, %1; "
                     "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                     "[a]; }" ::"r"(shared(&barrier)),
                     "r"((rank + 1) % blocks)
                     : "memory");
    }
    if (threadIdx.x >= 32) // a barrier of the other two warps
        asm volatile("bar.sync %0, 64;" ::"r"(1) : "memory");
    cg::this_cluster().sync();
}

int main()
{
    int *d_got, got[8];
    CHECK_CUDA(cudaMalloc((void **)&d_got, sizeof got));
    around<<<8, 96>>>(d_got);
    CHECK_CUDA(cudaMemcpy(got, d_got, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(got[i], 1 << i % 4);
    return check_result();
}
