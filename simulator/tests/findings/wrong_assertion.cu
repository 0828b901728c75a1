// An assertion that fails in one thread ends the launch. The program has seen
// the error, so it decides about its status.
// status: 0

#include <assert.h>
#include <cuda_runtime.h>

__global__ void positive(const int *x)
{
    assert(x[threadIdx.x] > 0); // expect: assertion
}

int main()
{
    int *x, h[32];
    for (int i = 0; i < 32; i++)
#ifdef RIGHT
        h[i] = i + 1;
#else
        h[i] = i != 13;
#endif
    cudaMalloc((void **)&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    positive<<<1, 32>>>(x);
#ifdef RIGHT
    return cudaDeviceSynchronize();
#else
    return cudaDeviceSynchronize() != cudaErrorAssert;
#endif
}
