// Who goes first: each warp of 8 blocks notes itself, then each lane of one;
// then a block waits for one that began before it, as a rule.
#include <cstdio>

__device__ int next, seen[64], ready;

static __device__ void note(int who)
{
    seen[atomicAdd(&next, 1)] = who;
}

__global__ void warps()
{
    if (threadIdx.x % 32 == 5)
        note(blockIdx.x * 10 + threadIdx.x / 32);
}

__global__ void lanes()
{
    note(threadIdx.x);
}

__global__ void waits()
{
    if (blockIdx.x == 0)
        atomicExch(&ready, 1);
    else
        while (atomicAdd(&ready, 0) == 0) // waits
            ;
}

static void show(int count)
{
    int host[64], none = 0;
    cudaMemcpyFromSymbol(host, seen, sizeof(host));
    cudaMemcpyToSymbol(next, &none, sizeof(none));
    for (int i = 0; i < count; i++)
        printf("%d%c", host[i], i < count - 1 ? ' ' : '\n');
}

int main(int argc, char **)
{
    warps<<<8, 64>>>();
    show(16);
    lanes<<<1, 40>>>();
    show(40);
    if (argc > 1)
        waits<<<2, 1>>>();
    return cudaDeviceSynchronize();
}
