// A step beyond each limit of right_launch_limits.cu, and a grid of no block.

#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    int n = 100, wrong = 0;
    cudaError_t expected = cudaErrorInvalidConfiguration;
    nothing<<<1, dim3(32, 33)>>>(); // expect: launch-limits
    wrong += cudaGetLastError() != expected;
    nothing<<<1, dim3(1, 1, 65)>>>(); // expect: launch-limits
    wrong += cudaGetLastError() != expected;
    nothing<<<dim3(1, 65536), 1>>>(); // expect: launch-limits
    wrong += cudaGetLastError() != expected;
    nothing<<<n / 256, 256>>>(); // expect: launch-limits
    wrong += cudaGetLastError() != expected;
    nothing<<<1, 32, 48 * 1024 + 1>>>(); // expect: launch-limits
    wrong += cudaGetLastError() != cudaErrorInvalidValue;
    return wrong;
}
