#include "cases.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// feature: copies to shared memory that others do meanwhile:
// `__pipeline_memcpy_async`, `cooperative_groups::memcpy_async`,
// `cuda::pipeline` of a thread

enum { T = 128, TILES = 6 };

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

// two groups under way: while one tile is looked at, the next one comes
__global__ void primitives(const int *in)
{
    __shared__ int s[2][T];
    int t = threadIdx.x, next = (t + 1) % T;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * T + t],
                                    4);
        __pipeline_commit();
        __pipeline_wait_prior(1); // tile i, as far as this thread copied it
        __syncthreads();          // and all others
        CHECK_EQUAL(s[i % 2][next], in[i * T + next]);
        __syncthreads(); // before it is overwritten
    }
    if (t == 0) // the last 8 bytes are zeros
        __pipeline_memcpy_async(&s[0][0], &in[4], 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (t < 4)
        CHECK_EQUAL(s[0][t], t < 2 ? in[4 + t] : 0);
}

__global__ void groups(const int *in)
{
    __shared__ int s[2][T];
    cg::thread_block block = cg::this_thread_block();
    int mirrored = T - 1 - block.thread_rank();
    cg::memcpy_async(block, s[0], in, sizeof s[0]);
    cg::memcpy_async(block, s[1], T, in + T, T + 1);
    cg::wait_prior<1>(block);
    CHECK_EQUAL(s[0][mirrored], in[mirrored]);
    cg::wait(block);
    CHECK_EQUAL(s[1][mirrored], in[T + mirrored]);
}

__global__ void stages(const int *in)
{
    __shared__ int s[2][T];
    cg::thread_block block = cg::this_thread_block();
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    for (int i = 0, next = 0; i < TILES; i++) {
        for (; next < TILES && next < i + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[next % 2][t], &in[next * T + t],
                               cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        block.sync();
        CHECK_EQUAL(s[i % 2][(t + 1) % T], in[i * T + (t + 1) % T]);
        block.sync();
        pipe.consumer_release();
    }
}

/** Squares, for @p n tiles. */
static int *squares(int n)
{
    int *x = shared_zeros<int>(n * T + 1);
    for (int i = 0; i < n * T; i++)
        x[i] = i * i;
    return x;
}

CASE(async_copies)
{
    int *in = squares(TILES);
    primitives<<<1, T>>>(in);
    groups<<<1, T>>>(in);
    stages<<<1, T>>>(in);
}

// feature: `cuda::barrier` and `cuda::pipeline` of a block: arrive, wait, drop,
// copies, threads that produce and threads that consume

__global__ void phases()
{
    __shared__ block_barrier all;
    __shared__ int s[T];
    int t = threadIdx.x;
    if (t == 0)
        init(&all, T);
    __syncthreads(); // the barrier is there
    for (int i = 0; i < 3; i++) {
        s[t] = t + i;
        block_barrier::arrival_token token = all.arrive();
        int own = t * i; // what needs nobody else
        all.wait(std::move(token));
        CHECK_EQUAL(own + s[(t + 50) % T], t * i + (t + 50) % T + i);
        all.arrive_and_wait(); // before the next value
    }
    if (t >= 32) {
        all.arrive_and_drop(); // from now on the first warp alone
        return;
    }
    all.arrive_and_wait();
    s[t] = -t;
    all.arrive_and_wait();
    CHECK_EQUAL(s[31 - t], t - 31);
}

__global__ void copies(const int *in)
{
    __shared__ block_barrier there;
    __shared__ int s[T];
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&there, block.size());
    block.sync();
    cuda::memcpy_async(block, s, in, sizeof s, there);
    there.arrive_and_wait();
    CHECK_EQUAL(s[T - 1 - threadIdx.x], in[T - 1 - threadIdx.x]);
}

// the first warp fills stages, the others use them
__global__ void roles(const int *in)
{
    enum { STAGES = 2 };
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>
        state;
    __shared__ int s[STAGES][32];
    cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x, next = (t + 1) % 32;
    auto role =
        t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int i = 0; i < TILES; i++)
        if (t < 32) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[i % STAGES][t], &in[32 * i + t], sizeof(int),
                               pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            CHECK_EQUAL(s[i % STAGES][next], in[32 * i + next]);
            pipe.consumer_release();
        }
}

CASE(barrier_objects)
{
    int *in = squares(TILES);
    phases<<<1, T>>>();
    copies<<<1, T>>>(in);
    roles<<<1, T>>>(in);
}

// feature: bulk copies, `cp.async.bulk`, to shared memory with `cuda::barrier`
// and from it with `cuda::ptx`

enum { SLOTS = 2, SLOT = 256 };

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

/** Four lanes copy a quarter each; one says how much comes. */
__global__ void four_copies(const int *in)
{
    __shared__ alignas(16) int slot[SLOT];
    __shared__ block_barrier full;
    int lane = threadIdx.x, quarter = SLOT / 4;
    if (lane == 0) {
        init(&full, 1);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    }
    __syncthreads();
    if (lane < 4)
        cuda::device::memcpy_async_tx(
            slot + lane * quarter, in + lane * quarter,
            cuda::aligned_size_t<16>(quarter * sizeof(int)), full);
    __syncwarp();
    if (lane == 0)
        (void)cuda::device::barrier_arrive_tx(full, 1, sizeof(slot));
    full.wait_parity(false);
    for (int k = lane; k < SLOT; k += 32)
        CHECK_EQUAL(slot[k], in[k]);
}

CASE(bulk_copies)
{
    int n = TILES * SLOT;
    int *in = squares(n / T), *out = shared_zeros<int>(n);
    ring<<<1, 64>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_EQUAL(out[i], 3 * in[i]);
    four_copies<<<1, 32>>>(in);
}
