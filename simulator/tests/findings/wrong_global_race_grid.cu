// A block reads what its neighbour writes in the same phase.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void shift(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    data[i] = i;
    grid.sync();                  // all are written
    int next = data[(i + 1) % n]; // expect-one: global-race
#ifdef RIGHT
    grid.sync(); // all have been read
#endif
    data[i] = next; // expect-one: global-race
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 128 * sizeof(int));
    void *args[] = {&data};
    cudaLaunchCooperativeKernel((void *)shift, dim3(4), dim3(32), args, 0, 0);
    return cudaDeviceSynchronize();
}
