// One block returns, the others wait for it.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void meet(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (blockIdx.x == 1)
        return;
    grid.sync();
    data[grid.thread_rank()] = 1;
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 128 * sizeof(int));
    void *args[] = {&data};
    cudaLaunchCooperativeKernel(meet, 2, 64, args); // expect: warp-deadlock
    cudaDeviceSynchronize();
    return 0;
}
