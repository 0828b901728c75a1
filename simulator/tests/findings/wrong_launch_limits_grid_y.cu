// gridDim.y and gridDim.z end at 65,535; only gridDim.x may be larger.

#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    nothing<<<dim3(1, 65536), 1>>>(); // expect: launch-limits
    return cudaGetLastError() != cudaErrorInvalidConfiguration;
}
