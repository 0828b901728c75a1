// Functions get arrays of one thread and stay inside. Where nobody's words have
// been, behind the array of one function, the next has its own.

#include <cuda_runtime.h>

__device__ __noinline__ void fill(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = i;
}

__device__ __noinline__ int sum(const int *p, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += p[i];
    return total;
}

__device__ __noinline__ int small()
{
    int some[3], more[3];
    fill(some, 3);
    fill(more, 3);
    return sum(some, 3) + sum(more, 3);
}

__device__ __noinline__ int large(int n)
{
    int many[64], total = 0;
    for (int i = 0; i < 64; i++)
        many[i * n % 64] = i;
    for (int i = 0; i < 64; i++)
        total += many[i];
    return total;
}

__global__ void sums(int *out)
{
    int total = 0;
    for (int i = 0; i < 10; i++) {
        total += small() + large(5);
        __syncthreads(); // as a place where others take their turn
    }
    out[threadIdx.x] = total;
}

int main()
{
    int *out, h[64];
    cudaMalloc(&out, sizeof h);
    for (int i = 0; i < 3; i++)
        sums<<<1, 64>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    return h[0] != 10 * (6 + 63 * 32);
}
