#include "cases.h"

// feature: cp.async as inline PTX: .ca, .cg, commit_group, wait_group, wait_all
// counted only: inline PTX needs clang

enum { T = 64, TILES = 5 };

__device__ void copy_4(int *to, const int *from)
{
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(shared),
                 "l"(from)
                 : "memory");
}

__device__ void copy_16(int *to, const int *from, int bytes)
{
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile(
        "cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(shared),
        "l"(from), "n"(16), "r"(bytes)
        : "memory");
}

// two groups under way: while one tile is summed up, the next one comes
__global__ void stages(const int *in, int *out)
{
    __shared__ int s[2][T];
    int t = threadIdx.x, sum = 0;
    copy_4(&s[0][t], &in[t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES)
            copy_4(&s[(i + 1) % 2][t], &in[(i + 1) * T + t]);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(1) : "memory");
        __syncthreads(); // tile i is there
        sum += s[i % 2][(t + 1) % T];
        __syncthreads(); // before it is overwritten
    }
    out[t] = sum;
}

// 16 bytes a thread, of which the last one reads 8: the rest is zeros
__global__ void wide(const int *in, int *out)
{
    extern __shared__ int4 dynamic[];
    int *s = (int *)dynamic, t = threadIdx.x;
    if (t < T / 4)
        copy_16(&s[4 * t], &in[4 * t], t == T / 4 - 1 ? 8 : 16);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] = s[T - 1 - t];
}

CASE(async_ptx)
{
    int *in = shared_zeros<int>(TILES * T), *out = shared_zeros<int>(2 * T);
    for (int i = 0; i < TILES * T; i++)
        in[i] = 3 * i + 1;
    stages<<<1, T>>>(in, out);
    wide<<<1, T, T * sizeof(int)>>>(in, out + T);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < T; t++) {
        int sum = 0;
        for (int i = 0; i < TILES; i++)
            sum += in[i * T + (t + 1) % T];
        CHECK_EQUAL(out[t], sum);
        CHECK_EQUAL(out[T + t], t < 2 ? 0 : in[T - 1 - t]);
    }
}
