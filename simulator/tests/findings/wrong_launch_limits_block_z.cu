// blockDim.z ends at 64.

#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    nothing<<<1, dim3(1, 1, 65)>>>(); // expect: launch-limits
    return cudaGetLastError() != cudaErrorInvalidConfiguration;
}
