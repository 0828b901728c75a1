// The shuffle names all 32 lanes, but half of them wait at a barrier. Nobody
// can go on, and the simulator says so at once.

#include <cuda_runtime.h>

__global__ void half(int *out)
{
    int t = threadIdx.x, value = t;
    if (t < 16)
#ifdef RIGHT
        value = __shfl_xor_sync(0x0000ffff, value, 1);
    __syncthreads(); // all lanes
#else
        value = __shfl_down_sync(0xffffffff, value, 1); // expect: warp-deadlock
    __syncthreads(); // where the other half waits
#endif
    out[t] = value;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    half<<<1, 32>>>(out);
#ifdef RIGHT
    return cudaDeviceSynchronize();
#else
    cudaDeviceSynchronize();
    return 0;
#endif
}
