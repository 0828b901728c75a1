// refuse: rand: a kernel cannot call this function of the host
#include <stdlib.h>
__global__ void k(int *x)
{
    *x = rand(); // here
}
int main()
{
    int *x;
    cudaMalloc((void **)&x, sizeof(int));
    k<<<1, 1>>>(x);
    return cudaDeviceSynchronize();
}
