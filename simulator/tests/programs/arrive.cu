/**
 * @file arrive.cu
 * @brief A lane that arrives at an mbarrier goes on beside the others of its
 *        warp: what they store then is one request. test_report.py knows how
 *        many there are.
 */
#include <stdint.h>

#define STORES 100 /**< more than fit the log of a lane */

__global__ void store(int *p)
{
    __shared__ uint64_t barrier;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(at));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at)
                     : "memory");
    for (int i = 0; i < STORES; i++)
        p[i * blockDim.x + threadIdx.x] = i;
}

int main(void)
{
    int *p;
    cudaMalloc((void **)&p, STORES * 64 * sizeof *p);
    store<<<1, 64>>>(p);
    return cudaDeviceSynchronize();
}
