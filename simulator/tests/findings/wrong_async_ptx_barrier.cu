// A thread waits for its own copies only: the others' need a barrier.
// consequence: uninitialised-shared

#include <cuda_runtime.h>

__global__ void reverse(int *data)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    unsigned shared = (unsigned)__cvta_generic_to_shared(&tile[t]);
    asm volatile( // expect-one: shared-race
        "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(data + t)
        : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    data[t] = tile[63 - t]; // expect-one: shared-race
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
