#include "cases.h"
#include <cuda/barrier>
#include <cuda/ptx>

// feature: bulk copies, `cp.async.bulk`, to shared memory with `cuda::barrier`
// and from it with `cuda::ptx`: checked, not counted

enum { T = 64, SLOTS = 2, SLOT = 256, TILES = 7 };

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

// warp 0 has tiles copied into a ring of slots, warp 1 changes them and has
// them copied out
__global__ void ring(const int *in, int *out)
{
    __shared__ alignas(128) int slot[SLOTS][SLOT];
    __shared__ block_barrier full[SLOTS], empty[SLOTS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x < SLOTS) {
        init(&full[threadIdx.x], 1);
        init(&empty[threadIdx.x], 1);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads(); // ready before anybody waits
    for (int i = 0; i < TILES; i++) {
        int s = i % SLOTS, phase = i / SLOTS % 2;
        cuda::aligned_size_t<16> bytes(SLOT * sizeof(int));
        if (warp == 0 && lane == 0) {
            if (i >= SLOTS)
                empty[s].wait_parity(!phase);
            cuda::device::memcpy_async_tx(slot[s], in + i * SLOT, bytes,
                                          full[s]);
            (void)cuda::device::barrier_arrive_tx(full[s], 1, bytes);
        }
        if (warp == 0)
            continue;
        full[s].wait_parity(phase);
        for (int k = lane; k < SLOT; k += 32)
            slot[s][k] *= 3;
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        __syncwarp();
        if (lane == 0) {
            cuda::ptx::cp_async_bulk(cuda::ptx::space_global,
                                     cuda::ptx::space_shared, out + i * SLOT,
                                     slot[s], (unsigned)bytes);
            cuda::ptx::cp_async_bulk_commit_group();
            cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
            (void)empty[s].arrive();
        }
    }
}

CASE(bulk_copies)
{
    int n = TILES * SLOT;
    int *in = shared_zeros<int>(n), *out = shared_zeros<int>(n);
    for (int i = 0; i < n; i++)
        in[i] = 5 * i + i % 7;
    ring<<<1, T>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_EQUAL(out[i], 3 * in[i]);
}
