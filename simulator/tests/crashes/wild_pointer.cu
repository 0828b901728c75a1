// A kernel writes through a number that is no address. In plain mode there is
// no check before the access, so the processor itself objects.

#include <cuda_runtime.h>

__global__ void wild(int *x)
{
    *x = 1;
}

int main()
{
    wild<<<1, 1>>>((int *)16); // launched here
    return cudaDeviceSynchronize();
}
