// More than 48 KiB of dynamic shared memory must be asked for beforehand.

#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    nothing<<<1, 32, 48 * 1024 + 1>>>(); // expect: launch-limits
    return cudaGetLastError() != cudaErrorInvalidValue;
}
