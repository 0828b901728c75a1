// A barrier of the grid in an ordinary launch: its blocks need not be there at
// once.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void meet(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    data[grid.thread_rank()] = 1;
    grid.sync(); // expect: launch-limits
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 128 * sizeof(int));
    meet<<<2, 64>>>(data);
    cudaDeviceSynchronize();
    return 0;
}
