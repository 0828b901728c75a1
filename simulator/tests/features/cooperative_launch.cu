#include "cases.h"
#include <cooperative_groups.h>

// feature: cooperative launches: cudaLaunchCooperativeKernel, `grid.sync()`

namespace cg = cooperative_groups;

enum { T = 64, BLOCKS = 20, STEPS = 4 };

// each step adds the right neighbour's value of the step before, across blocks
__global__ void steps(int *x, int *y, int *invalid)
{
    __shared__ int kept[T];
    extern __shared__ int more[];
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size(), t = threadIdx.x;
    kept[t] = 7 * i;
    more[t] = -i;
    for (int step = 0; step < STEPS; step++) {
        y[i] = x[i] + x[(i + 1) % n];
        grid.sync(); // all sums are there
        x[i] = y[i];
        grid.sync(); // and in their place
    }
    if (kept[t] != 7 * i || more[t] != -i || !grid.is_valid())
        atomicAdd(invalid, 1);
}

CASE(cooperative_launch)
{
    int n = T * BLOCKS, expected[T * BLOCKS];
    int *x = shared_zeros<int>(n), *y = shared_zeros<int>(n);
    int *invalid = shared_zeros<int>(1), cooperative = 0;
    CHECK_CUDA(
        cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    CHECK_EQUAL(cooperative, 1);
    for (int i = 0; i < n; i++)
        expected[i] = x[i] = i * i % 101;
    void *args[] = {&x, &y, &invalid};
    CHECK_CUDA(cudaLaunchCooperativeKernel((void *)steps, dim3(BLOCKS), dim3(T),
                                           args, T * sizeof(int), 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int step = 0; step < STEPS; step++) {
        int first = expected[0];
        for (int i = 0; i < n; i++)
            expected[i] += i + 1 < n ? expected[i + 1] : first;
    }
    for (int i = 0; i < n; i++)
        CHECK_EQUAL(x[i], expected[i]);
    CHECK_EQUAL(*invalid, 0);

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(BLOCKS);
    config.blockDim = dim3(T);
    config.dynamicSmemBytes = T * sizeof(int);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, steps, x, y, invalid));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*invalid, 0);
}
