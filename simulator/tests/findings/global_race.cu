#include "cases.h"
#include <cooperative_groups.h>

// Two blocks write one word. Blocks run in any order and at the same time.

__global__ void last_wins(int *out)
{
    if (threadIdx.x == 0)
        out[0] = blockIdx.x; // expect: global-race
}

LAUNCH(last_wins, last_wins<<<8, 32>>>(room<int>(1)));

// Threads of one block count in global memory without atomics: of several that
// read the same old value, one addition stays.
// says: an update is lost, and atomicAdd loses none

__global__ void count(int *bins)
{
    bins[threadIdx.x % 4]++; // expect: global-race
}

LAUNCH(block, count<<<1, 32>>>(zeros<int>(4)));

// Thread 0 clears a sum in global memory, and nobody waits for it.

__global__ void sum(int *total)
{
    if (threadIdx.x == 0)
        *total = 0;      // expect-one: global-race
    atomicAdd(total, 1); // expect-one: global-race
}

LAUNCH(clear, sum<<<1, 64>>>(room<int>(1)));

// Two threads have one element for their own; each has all of a sum; in place.

__global__ void statements(float *c, float *sum, const float *from, float *to)
{
    int x = threadIdx.x, y = threadIdx.y;
    // says: two threads write the same element: is their index right?
    c[RIGHT ? 16 * y + x : x] = y; // expect: global-race
    // says: the lanes run in lockstep; others read in this
    to[16 * x + y] = from[16 * y + x]; // expect: global-race
#if RIGHT
    atomicAdd(&sum[0], 2);
#else
    // says: each reads it, then stores: an update is lost, and atomicAdd loses
    // none
    sum[0] = sum[0] + 2; // expect: global-race
#endif
}

CASE(one_statement)
{
    float *x = zeros<float>(256), *y = room<float>(256);
    statements<<<1, dim3(16, 16)>>>(room<float>(256), zeros<float>(1), x,
                                    RIGHT ? y : x);
}

// A stencil in place: a block reads elements at its edge that the neighbour
// overwrites in the same launch.

__global__ void smooth(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int right = i + 1 < n ? x[i + 1] : 0; // expect-one: global-race
    __syncthreads();                      // orders this block only
    x[i] = right;                         // expect-one: global-race
}

LAUNCH(neighbour, smooth<<<4, 64>>>(zeros<int>(256), 256));

// Shifting an array in place: the next warp may have stored already.

__global__ void shift(int *x)
{
    int t = threadIdx.x;
    int next = x[t + 1]; // expect-one: global-race
#if RIGHT
    __syncthreads(); // all have read
#else
    __syncwarp();        // all lanes have read, but not all warps
#endif
    x[t] = next; // expect-one: global-race
}

LAUNCH(shift, shift<<<1, 256>>>(zeros<int>(257)));

// Each thread has four numbers of its own in the first half; then some threads
// use them one by one, and not their own.

__global__ void rows(float4 *x, float *sums)
{
    int t = threadIdx.x;
    x[t] = make_float4(t, t, t, t); // expect-one: global-race
    float4 own = x[t];
    float *number = (float *)x;
#if RIGHT
    number[4 * t] = own.x + number[4 * t + 1]; // still one's own
    __syncthreads();
    sums[t] = number[(t + 36) % 256];
    sums[t] += own.x;
    __syncthreads();
    if (t == 0)
        sums[64] = 0;
#else
    float other = number[(t + 36) % 256]; // expect-one: global-race
    sums[t] = own.x + other;
#endif
}

LAUNCH(rows, rows<<<1, 96>>>(zeros<float4>(96), room<float>(96)));

// A block reads what its neighbour writes in the same phase.

__global__ void shift_across_blocks(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    data[i] = i;
    grid.sync();                  // all are written
    int next = data[(i + 1) % n]; // expect-one: global-race
#if RIGHT
    grid.sync(); // all have been read
#endif
    data[i] = next; // expect-one: global-race
}

CASE(grid)
{
    int *data = room<int>(128);
    void *args[] = {&data};
    cudaLaunchCooperativeKernel((void *)shift_across_blocks, dim3(4), dim3(32),
                                args, 0, 0);
}

// A word of 64 bits is written in halves, by two blocks.

__global__ void halves(long long *whole, long long *out)
{
    ((int *)whole)[blockIdx.x] = 1; // expect-one: global-race
    if (blockIdx.x == 0)
        *out = *whole; // expect-one: global-race
}

LAUNCH(halves, halves<<<2, 1>>>(zeros<long long>(1), room<long long>(1)));

// Two launches of one stream are ordered: the second may read all the first
// wrote, whichever block wrote it.

__global__ void fill(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x;
}

__global__ void reverse(const int *x, int *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[n - 1 - i];
}

CASE(two_launches)
{
    int *x = room<int>(256);
    fill<<<4, 64>>>(x);
    reverse<<<4, 64>>>(x, room<int>(256), 256);
}
