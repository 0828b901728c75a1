// A warp reads what a bulk copy brings, without waiting for its barrier.
// consequence: uninitialised-shared

#include <cuda/barrier>
#include <cuda_runtime.h>

__global__ void brought(const int *in, int *out)
{
    __shared__ alignas(128) int tile[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    if (threadIdx.x == 0)
        init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::aligned_size_t<16> bytes(sizeof(tile));
        cuda::device::memcpy_async_tx(tile, in, bytes, full);
        (void)cuda::device::barrier_arrive_tx(full, 1, bytes);
    }
#ifdef RIGHT
    full.wait_parity(false);
#else
    __syncthreads(); // orders the threads, not the copy
#endif
    out[threadIdx.x] = tile[threadIdx.x]; // expect: async-copy
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    brought<<<1, 32>>>(data, data + 32);
    return cudaDeviceSynchronize();
}
