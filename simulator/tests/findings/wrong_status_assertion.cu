// A program that expects its assertion to fail, and says so, keeps its status.
// status: 0

#include <assert.h>
#include <cuda_runtime.h>
#include <string.h>

__global__ void never(int *x)
{
    assert(*x > 0); // expect: assertion
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 4);
    cudaMemset(x, 0, 4);
    never<<<1, 1>>>(x);
    const char *text = cudaGetErrorString(cudaDeviceSynchronize());
    return strstr(text, "assert") == NULL;
}
