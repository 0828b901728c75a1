// The same without a wait for the copies: each of 64 x 6144 reads is too early.
// says: (x 393216)

#include <cuda/barrier>
#include <cuda_runtime.h>

enum { BLOCKS = 64, T = 64, TILE = 6144 };

__global__ void brought(const int *in, volatile int *flag, int *out)
{
    __shared__ alignas(128) int tile[TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    bool last = blockIdx.x == BLOCKS - 1;
    if (threadIdx.x == 0)
        init(&full, 1);
    __syncthreads(); // ready before anybody waits
    if (threadIdx.x == 0) {
        cuda::aligned_size_t<16> bytes(sizeof(tile));
        cuda::device::memcpy_async_tx(tile, in, bytes, full);
        (void)cuda::device::barrier_arrive_tx(full, 1, bytes);
    }
    while (threadIdx.x >= 32 && !last && *flag == 0)
        __nanosleep(20);
#ifdef RIGHT
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

int main()
{
    int *in, *flag, *out;
    cudaMalloc((void **)&in, TILE * sizeof(int));
    cudaMemset(in, 0, TILE * sizeof(int));
    cudaMalloc((void **)&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    cudaMalloc((void **)&out, BLOCKS * T * sizeof(int));
    void *args[] = {&in, &flag, &out};
    cudaLaunchCooperativeKernel((const void *)brought, BLOCKS, T, args, 0, 0);
    return cudaDeviceSynchronize();
}
