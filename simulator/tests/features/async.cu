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

// two groups under way: while one tile is summed up, the next one comes
__global__ void primitives(const int *in, int *out)
{
    __shared__ int s[2][T];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * T + t],
                                    4);
        __pipeline_commit();
        __pipeline_wait_prior(1); // tile i, as far as this thread copied it
        __syncthreads();          // and all others
        sum += s[i % 2][(t + 1) % T];
        __syncthreads(); // before it is overwritten
    }
    out[t] = sum;
    if (t == 0) // the last 8 bytes are zeros
        __pipeline_memcpy_async(&s[0][0], &in[4], 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[T + t] = t < 4 ? s[0][t] : 0;
}

__global__ void groups(const int *in, int *out)
{
    __shared__ int s[2][T];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    cg::memcpy_async(block, s[0], in, sizeof s[0]);
    cg::memcpy_async(block, s[1], T, in + T, T + 1);
    cg::wait_prior<1>(block);
    int sum = s[0][T - 1 - t];
    cg::wait(block);
    out[t] = sum + s[1][T - 1 - t];
}

__global__ void stages(const int *in, int *out)
{
    __shared__ int s[2][T];
    cg::thread_block block = cg::this_thread_block();
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    for (int i = 0, next = 0; i < TILES; i++) {
        for (; next < TILES && next < i + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[next % 2][t], &in[next * T + t],
                               cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        block.sync();
        sum += s[i % 2][(t + 1) % T];
        block.sync();
        pipe.consumer_release();
    }
    out[t] = sum;
}

CASE(async_copies)
{
    int *in = shared_zeros<int>(TILES * T + 1);
    int *out = shared_zeros<int>(4 * T);
    for (int i = 0; i < TILES * T; i++)
        in[i] = i * i;
    primitives<<<1, T>>>(in, out);
    groups<<<1, T>>>(in, out + 2 * T);
    stages<<<1, T>>>(in, out + 3 * T);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) {
        int sum = 0, mirrored = T - 1 - t;
        for (int i = 0; i < TILES; i++)
            sum += in[i * T + (t + 1) % T];
        CHECK_EQUAL(out[t], sum);
        CHECK_EQUAL(out[T + t], t < 2 ? in[4 + t] : 0);
        CHECK_EQUAL(out[2 * T + t], in[mirrored] + in[T + mirrored]);
        CHECK_EQUAL(out[3 * T + t], sum);
    }
}

// feature: `cuda::barrier` and `cuda::pipeline` of a block: arrive, wait, drop,
// copies, threads that produce and threads that consume

__global__ void phases(int *out)
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
        out[t] = own + s[(t + 50) % T];
        all.arrive_and_wait(); // before the next value
    }
    if (t >= 32) {
        all.arrive_and_drop(); // from now on the first warp alone
        return;
    }
    all.arrive_and_wait();
    s[t] = -t;
    all.arrive_and_wait();
    out[T + t] = s[31 - t];
}

__global__ void copies(const int *in, int *out)
{
    __shared__ block_barrier there;
    __shared__ int s[T];
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&there, block.size());
    block.sync();
    cuda::memcpy_async(block, s, in, sizeof s, there);
    there.arrive_and_wait();
    out[threadIdx.x] = s[T - 1 - threadIdx.x];
}

// the first warp fills stages, the others use them
__global__ void roles(const int *in, int *out)
{
    enum { STAGES = 2, USERS = T - 32 };
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>
        state;
    __shared__ int s[STAGES][32];
    cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x, sum = 0;
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
            sum += s[i % STAGES][(t + 1) % 32];
            pipe.consumer_release();
        }
    if (t >= 32)
        out[t - 32] = sum;
}

CASE(barrier_objects)
{
    int *in = shared_zeros<int>(32 * TILES);
    int *out = shared_zeros<int>(4 * T);
    for (int i = 0; i < 32 * TILES; i++)
        in[i] = 3 * i + i % 7;
    phases<<<1, T>>>(out);
    copies<<<1, T>>>(in, out + 2 * T);
    roles<<<1, T>>>(in, out + 3 * T);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) {
        CHECK_EQUAL(out[t], 2 * t + (t + 50) % T + 2);
        CHECK_EQUAL(out[T + t], t < 32 ? t - 31 : 0);
        CHECK_EQUAL(out[2 * T + t], in[T - 1 - t]);
    }
    for (int t = 32; t < T; t++) {
        int sum = 0;
        for (int i = 0; i < TILES; i++)
            sum += in[32 * i + (t + 1) % 32];
        CHECK_EQUAL(out[3 * T + t - 32], sum);
    }
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
__global__ void four_copies(const int *in, int *out)
{
    __shared__ alignas(16) int slot[SLOT];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    int lane = threadIdx.x, quarter = SLOT / 4;
    if (lane == 0)
        init(&full, 1);
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
        out[k] = slot[k];
}

CASE(bulk_copies)
{
    int n = TILES * SLOT;
    int *in = shared_zeros<int>(n), *out = shared_zeros<int>(n);
    for (int i = 0; i < n; i++)
        in[i] = 5 * i + i % 7;
    ring<<<1, 64>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_EQUAL(out[i], 3 * in[i]);
    four_copies<<<1, 32>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < SLOT; i++)
        CHECK_EQUAL(out[i], in[i]);
}
