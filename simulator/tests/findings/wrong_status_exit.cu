// _exit() ends a program at once; its findings are shown all the same.

#include <cuda_runtime.h>
#include <unistd.h>

__global__ void fill(int *x)
{
    x[threadIdx.x] = 1; // expect: out-of-bounds-global
}

int main()
{
    int *x;
    cudaMalloc((void **)&x, 16 * sizeof(int));
    fill<<<1, 32>>>(x);
    _exit(0);
}
