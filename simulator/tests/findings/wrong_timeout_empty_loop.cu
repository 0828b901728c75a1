// A loop without end that does nothing: C++ would let a compiler remove it.

#include <cuda_runtime.h>

__global__ void wait_forever()
{
    int i = 0;
    while (threadIdx.x == 3)
        i++;
}

int main()
{
    wait_forever<<<1, 32>>>(); // expect: timeout
    cudaDeviceSynchronize();
    return 0;
}
