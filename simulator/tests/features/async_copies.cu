#include "cases.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

// feature: copies to shared memory that others do meanwhile:
// `__pipeline_memcpy_async`, `cooperative_groups::memcpy_async`,
// `cuda::pipeline` of a thread

namespace cg = cooperative_groups;

enum { T = 64, TILES = 5 };

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
