// Stores between the flags of a block, each read behind the flag that follows
// it; a chain through all blocks; more flags than are told apart.

#include <cuda_runtime.h>

__global__ void two_flags(int *x, volatile int *flags)
{
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 1;
        __threadfence();
        __syncthreads(); // all have stored
        if (threadIdx.x == 0)
            flags[0] = 1;
        __syncthreads(); // the first flag is up
        x[64 + threadIdx.x] = 2;
        __threadfence();
        __syncthreads(); // all have stored again
        if (threadIdx.x == 0)
            flags[1] = 1;
    } else {
        int second = blockIdx.x % 2;
        if (threadIdx.x == 0)
            while (!flags[second])
                ;        // for block 0
        __syncthreads(); // thread 0 has seen the flag
        __threadfence();
        x[128 + 64 * blockIdx.x + threadIdx.x] = x[64 * second + threadIdx.x];
    }
}

__global__ void chain(int *x, volatile int *turn, int steps)
{
    if (threadIdx.x > 0)
        return;
    int first = blockIdx.x * steps;
    while (*turn != first)
        ; // for the block before
    for (int i = 1; i <= steps; i++) {
        __threadfence();
        x[0] += 1;
        __threadfence();
        *turn = first + i;
    }
}

__global__ void last_block(int *x, unsigned *tickets, int *total)
{
    __shared__ bool last;
    x[blockIdx.x * 64 + threadIdx.x] = 1;
    atomicAdd(&tickets[1], 1); // a flag for each thread
    __threadfence();
    __syncthreads(); // all have stored
    if (threadIdx.x == 0)
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    __syncthreads(); // last is set
    if (last && threadIdx.x == 0) {
        __threadfence();
        for (int i = 0; i < 64 * gridDim.x; i++)
            *total += x[i];
    }
}

int main()
{
    int *x, result[2];
    cudaMalloc(&x, 4096 * sizeof(int));
    cudaMemset(x, 0, 4096 * sizeof(int));
    two_flags<<<8, 64>>>(x, x + 2048);
    chain<<<6, 32>>>(x + 2050, x + 2055, 20);
    last_block<<<8, 64>>>(x + 1024, (unsigned *)x + 2060, x + 2051);
    cudaMemcpy(result, x + 2050, sizeof result, cudaMemcpyDeviceToHost);
    return result[0] != 120 || result[1] != 512;
}
