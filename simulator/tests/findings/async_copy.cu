#include "cases.h"
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_pipeline.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void start(barrier *full, int arrivals)
{
    init(full, arrivals);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

// Nobody waits for the copies: the barrier does not.
// consequence: uninitialised-shared

__global__ void reverse(int *data)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &data[t], 4);
    __pipeline_commit();
#if RIGHT
    __pipeline_wait_prior(0);
#endif
    __syncthreads();        // the tile is complete
    data[t] = tile[63 - t]; // expect: async-copy
}

LAUNCH(no_wait, reverse<<<1, 64>>>(zeros<int>(64)));

// One group may still be under way: the one that is needed now.

__global__ void reverse_two(int *data)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x;
    tile[1][t] = 0;
    __syncthreads(); // before the copies write there
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&tile[i][t], &data[64 * i + t], 4);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads(); // tile[0] is complete
    data[t] = tile[0][63 - t];
#if RIGHT
    __pipeline_wait_prior(0);
    __syncthreads(); // tile[1] is complete
#endif
    data[64 + t] = tile[1][63 - t]; // expect: async-copy
}

LAUNCH(group, reverse_two<<<1, 64>>>(zeros<int>(128)));

// Each thread waits for its own copy only, and reads that of another one.
// consequence: uninitialised-shared

__global__ void reverse_own(int *data)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &data[t], 4); // expect-one: shared-race
    __pipeline_commit();
    __pipeline_wait_prior(0);
    data[t] = tile[63 - t]; // expect-one: shared-race
}

LAUNCH(no_barrier, reverse_own<<<1, 64>>>(zeros<int>(64)));

// A warp reads what a bulk copy brings, without waiting for its barrier.
// consequence: uninitialised-shared

__global__ void brought(const int *in, int *out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ barrier full;
    if (threadIdx.x == 0)
        start(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::aligned_size_t<16> bytes(sizeof(tile));
        cuda::device::memcpy_async_tx(tile, in, bytes, full);
        (void)cuda::device::barrier_arrive_tx(full, 1, bytes);
    }
#if RIGHT
    full.wait_parity(false);
#else
    __syncthreads(); // orders the threads, not the copy
#endif
    out[threadIdx.x] = tile[threadIdx.x]; // expect: async-copy
}

LAUNCH(bulk, brought<<<1, 32>>>(zeros<int>(32), room<int>(32)));

// The copy engine may not see a barrier that was only initialised.

__global__ void unseen(const int *in)
{
    __shared__ alignas(128) int tile[32];
    __shared__ barrier full;
    init(&full, 1);
    if (RIGHT)
        start(&full, 1);
    // says: no fence.proxy.async or fence.mbarrier_init behind
    cuda::aligned_size_t<16> bytes(sizeof(tile));
    cuda::device::memcpy_async_tx(tile, in, bytes, full); // expect: proxy-fence
    barrier::arrival_token token;
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
    full.wait(std::move(token));
}

LAUNCH(engine_sees_no_barrier, unseen<<<1, 1>>>(zeros<int>(32)));

// The barrier expects more bytes than are copied.

__global__ void expected(const int *in, int *out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ barrier full;
    if (threadIdx.x == 0)
        start(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::aligned_size_t<16> bytes(RIGHT ? sizeof(tile) : 64);
        cuda::device::memcpy_async_tx(tile, in, bytes, full);
        (void)cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
    }
    full.wait_parity(false); // expect: warp-deadlock
    out[threadIdx.x] = tile[threadIdx.x];
}

LAUNCH(bulk_bytes, expected<<<1, 32>>>(zeros<int>(32), room<int>(32)));

// They are expected before they are copied, and somebody asks again and again
// whether they are there.

__global__ void expected_first(const int *in, int *out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ barrier full;
    if (threadIdx.x == 0)
        start(&full, 33);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::aligned_size_t<16> half(sizeof(tile) / 2);
        cuda::device::barrier_expect_tx(full, sizeof(tile) / 2);
        cuda::device::memcpy_async_tx(tile, in, half, full);
        (void)cuda::device::barrier_arrive_tx(full, 1, sizeof(tile) / 2);
        cuda::device::memcpy_async_tx(tile + 16, in + 16, half, full);
    }
    auto token = full.arrive();
    while (!full.try_wait(std::move(token)))
        ;
    out[threadIdx.x] = tile[threadIdx.x];
}

LAUNCH(bulk_expected_first,
       expected_first<<<1, 32>>>(zeros<int>(32), room<int>(32)));

// The same without a wait for the copies: each of 64 x 6144 reads is too early.
// says: (x 393216)

enum { BLOCKS = 64, T = 64, TILE = 6144 };

__global__ void brought_to_all(const int *in, volatile int *flag, int *out)
{
    __shared__ alignas(128) int tile[TILE];
    __shared__ barrier full;
    bool last = blockIdx.x == BLOCKS - 1;
    if (threadIdx.x == 0)
        start(&full, 1);
    __syncthreads(); // ready before anybody waits
    if (threadIdx.x == 0) {
        cuda::aligned_size_t<16> bytes(sizeof(tile));
        cuda::device::memcpy_async_tx(tile, in, bytes, full);
        (void)cuda::device::barrier_arrive_tx(full, 1, bytes);
    }
    while (threadIdx.x >= 32 && !last && *flag == 0)
        __nanosleep(20);
#if RIGHT
    full.wait_parity(false);
#else
    __syncthreads(); // orders the threads, not the copy
#endif
    int sum = 0;
    for (int i = threadIdx.x; i < TILE; i += T)
        sum += tile[i]; // expect: async-copy
    out[blockIdx.x * T + threadIdx.x] = sum;
    if (last && threadIdx.x == 0)
        *flag = 1;
}

CASE(bulk_set_aside)
{
    int *in = zeros<int>(TILE), *flag = zeros<int>(1);
    int *out = room<int>(BLOCKS * T);
    void *args[] = {&in, &flag, &out};
    cudaLaunchCooperativeKernel((const void *)brought_to_all, BLOCKS, T, args,
                                0, 0);
}
