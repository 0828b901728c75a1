// What blocks may do with volatile memory: one counts and others look; they
// take turns; they read what nobody writes; a lock guards the counter.

#include <cuda_runtime.h>

#define BLOCKS 8

__global__ void one_counts(volatile int *count, const int *in, int *out)
{
    int plain = in[0], late = ((const volatile int *)in)[0];
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0)
        (*count)++;
    while (*count == 0)
        ; // for block 0
    out[blockIdx.x] = plain + late;
}

__global__ void take_turns(volatile int *turn, int *total)
{
    if (threadIdx.x > 0)
        return;
    int now;
    while ((now = *turn) != (int)blockIdx.x)
        ; // for the block before
    __threadfence();
    *total += 1;
    __threadfence();
    *turn = now + 1;
}

__global__ void guarded(int *lock, volatile int *count)
{
    if (threadIdx.x > 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0)
        ; // for who has it
    __threadfence();
    (*count)++;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void read_both(int *x, int *out)
{
    int mine = threadIdx.x < 32 ? *(volatile int *)x : *x;
    out[threadIdx.x] = mine;
}

int main()
{
    int *x, result[4];
    cudaMalloc(&x, 1024 * sizeof(int));
    cudaMemset(x, 0, 1024 * sizeof(int));
    one_counts<<<BLOCKS, 64>>>(x, x + 4, x + 8);
    take_turns<<<BLOCKS, 64>>>(x + 1, x + 2);
    guarded<<<BLOCKS, 64>>>(x + 5, x + 3);
    read_both<<<1, 64>>>(x + 6, x + 512);
    cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost);
    return result[0] != 1 || result[1] != BLOCKS || result[2] != BLOCKS ||
           result[3] != BLOCKS;
}
