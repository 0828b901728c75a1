// A block has at most 1024 threads.

#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    nothing<<<1, dim3(32, 33)>>>(); // expect: launch-limits
    return cudaGetLastError() != cudaErrorInvalidConfiguration;
}
