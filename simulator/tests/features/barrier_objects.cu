#include "cases.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

// feature: `cuda::barrier` and `cuda::pipeline` of a block: arrive, wait, drop,
// copies, threads that produce and threads that consume

namespace cg = cooperative_groups;

enum { T = 128, TILES = 6 };

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

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
