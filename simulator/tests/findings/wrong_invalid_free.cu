// A kernel frees its memory twice.

#include <cuda_runtime.h>

__global__ void twice(int *x)
{
    int *p = (int *)malloc(4);
    *p = 1;
    *x = *p;
    free(p);
    free(p);
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 4);
    twice<<<1, 1>>>(x); // expect: invalid-free
    cudaDeviceSynchronize();
    return 0;
}
