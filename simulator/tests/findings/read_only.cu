#include "cases.h"

#include <cooperative_groups.h>

// The cache of read-only loads does not notice what the same launch writes,
// even where a barrier, a fence or a flag puts the two in order.

// One block, behind a barrier.

__global__ void reversed(const float *x, float *y, float *z)
{
    int i = threadIdx.x;
    y[i] = 2 * x[i];
    __syncthreads();
#if RIGHT
    z[i] = y[63 - i];
#else
    // says: the same launch has written it at line
    z[i] = __ldg(&y[63 - i]);           // expect: read-only-load
#endif
}

CASE(behind_a_barrier)
{
    float *x = zeros<float>(64), *y = room<float>(64), *z = room<float>(64);
    reversed<<<1, 64>>>(x, y, z);
    CHECK_EQUAL(fetch(z), 0);
}

// The last block adds up what all have written; vectors.

__device__ unsigned arrived;

__global__ void last_block(float4 *sums, float *sum)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = make_float4(1, 2, 3, 4);
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        *sum = 0;
        for (int b = 0; b < (int)gridDim.x; b++) {
#if RIGHT
            float4 s = sums[b];
#else
            float4 s = __ldg(&sums[b]); // expect: read-only-load
#endif
            *sum += s.x + s.w;
        }
    }
}

CASE(behind_a_counter)
{
    float *sum = room<float>(1);
    last_block<<<8, 32>>>(room<float4>(8), sum);
    CHECK_EQUAL(fetch(sum), 40);
}

// The rest of a launch cannot see it, the next one can.

__global__ void all_right(const unsigned char *x, unsigned char *y, int *z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[2 * i + 1] = __ldg(&x[i]) + __ldg(&y[2 * i]); // neighbours
    int old = __ldg(&z[i]);
    z[i] = old + 1; // behind the load
}

CASE(earlier_launches)
{
    unsigned char *x = zeros<unsigned char>(256);
    unsigned char *y = zeros<unsigned char>(512);
    int *z = zeros<int>(256);
    for (int i = 0; i < 3; i++)
        all_right<<<4, 64>>>(x, y, z);
    CHECK_EQUAL(fetch(z + 99), 3);
}

// Behind a wait of the grid, too.

__global__ void in_two_steps(const double *x, double *y, double *z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 1;
    cooperative_groups::this_grid().sync();
#if RIGHT
    z[i] = y[127 - i];
#else
    z[i] = __ldg(&y[127 - i]);          // expect: read-only-load
#endif
}

CASE(behind_the_grid)
{
    double *x = zeros<double>(128), *y = room<double>(128);
    double *z = room<double>(128);
    void *args[] = {&x, &y, &z};
    CHECK_CUDA(cudaLaunchCooperativeKernel((void *)in_two_steps, 4, 32, args));
    CHECK_EQUAL(fetch(z), 1);
}
