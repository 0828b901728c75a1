// A grid has at least one block: n / 256 is 0 for n = 100.

#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    int n = 100;
    nothing<<<n / 256, 256>>>(); // expect: launch-limits
    return cudaGetLastError() != cudaErrorInvalidConfiguration;
}
