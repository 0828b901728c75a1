// One group of cp.async may still be under way: the one that is needed now.

#include <cuda_runtime.h>

__device__ void copy(int *to, const int *from)
{
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared),
                 "l"(from)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void reverse(int *data)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x;
    tile[1][t] = 0;
    __syncthreads(); // before the copies write there
    copy(&tile[0][t], &data[t]);
    copy(&tile[1][t], &data[64 + t]);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads(); // tile[0] is complete
    data[t] = tile[0][63 - t];
    data[64 + t] = tile[1][63 - t]; // expect: async-copy
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 128 * sizeof(int));
    cudaMemset(data, 0, 128 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
