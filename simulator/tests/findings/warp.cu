#include "cases.h"
#include <cooperative_groups.h>
#include <mma.h>

using namespace nvcuda;

// The shuffle names all 32 lanes, but half of them wait at a barrier. Nobody
// can go on, and the simulator says so at once.

__global__ void half_of_warp(int *out)
{
    int t = threadIdx.x, value = t;
    if (t < 16)
#if RIGHT
        value = __shfl_xor_sync(0x0000ffff, value, 1);
    __syncthreads(); // all lanes
#else
        value = __shfl_down_sync(0xffffffff, value, 1); // expect: warp-deadlock
    __syncthreads();                                    // where the other half waits
#endif
    out[t] = value;
}

LAUNCH(half_waits, half_of_warp<<<1, 32>>>(room<int>(32)));

// Two halves of a warp wait for each other at different operations.

__global__ void halves(int *out)
{
    unsigned t = threadIdx.x, value;
    if (t < 16)
        value = __ballot_sync(0xffffffff, t > 3); // expect-one: warp-deadlock
    else
        value = __reduce_add_sync(0xffffffff, t); // expect-one: warp-deadlock
    out[t] = value;
}

LAUNCH(two_operations, halves<<<1, 32>>>(room<int>(32)));

// One block returns, the others wait for it.

__global__ void meet(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (blockIdx.x == 1)
        return;
    grid.sync();
    data[grid.thread_rank()] = 1;
}

CASE(grid_sync)
{
    int *data = room<int>(128);
    void *args[] = {&data};
    cudaLaunchCooperativeKernel(meet, 2, 64, args); // expect: warp-deadlock
}

// Half of the warp loads a matrix, the other half skips it: tensor cores need
// all 32 lanes.

__global__ void load(const __half *a, float *out, int lanes)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::fill_fragment(f, __float2half(0));
    if (threadIdx.x >= lanes)
        return;
    wmma::load_matrix_sync(f, a, 16); // expect: warp-divergence
    out[threadIdx.x] = __half2float(f.x[0]);
}

CASE(tensor_cores)
{
    load<<<1, 32>>>(zeros<__half>(256), room<float>(32), RIGHT ? 32 : 16);
    CHECK_EQUAL(cudaDeviceSynchronize() == cudaSuccess, RIGHT);
}

// Half of a warp waits in its branch for the other half, which first goes
// through more accesses than the log holds.

__global__ void meet(int *out, const int *in)
{
    int t = threadIdx.x, value;
    if (t < 16) {
        value = __shfl_sync(0xffffffffu, t, 31);
    } else {
        int sum = 0;
        for (int i = 0; i < 1000 + t; i++)
            sum += in[i % 32];
        value = __shfl_sync(0xffffffffu, sum + t, 31);
    }
    out[t] = value;
}

CASE(shuffle_in_branches)
{
    int *out = room<int>(32);
    meet<<<1, 32>>>(out, zeros<int>(32));
    CHECK(fetch(out) == 31 && fetch(out + 31) == 31);
}

// Lane 15 asks for the value of lane 16, which does not take part: undefined.

__global__ void lower_half(int *out)
{
    int t = threadIdx.x, value = t;
    if (t < 16)
        value = __shfl_down_sync(0x0000ffff, value, 1); // expect: *-note
    out[t] = value;
}

LAUNCH(absent_lane, lower_half<<<1, 32>>>(room<int>(32)));

// The mask names lanes that the block does not have, or that are elsewhere.

__global__ void row_sum(const float *x, float *sum, int n)
{
    float own = threadIdx.x < n ? x[threadIdx.x] : 0;
    unsigned all = 0xffffffff;
    for (int d = 16; d > 0 && (threadIdx.x < n || RIGHT); d /= 2)
        own += __shfl_down_sync(all, own, d); // expect: undefined-shuffle
    if (threadIdx.x == 0)
        *sum = own;
}

// says: its mask names, and the block does not have
LAUNCH(block_of_17,
       row_sum<<<1, RIGHT ? 32 : 17>>>(zeros<float>(17), room<float>(1), 17));

// A lane that its own mask does not name.

__global__ void half_votes(unsigned *out)
{
    unsigned mask = RIGHT ? 0xffffffff : 0xffff;
    out[threadIdx.x] = __ballot_sync(mask, 1); // expect: undefined-shuffle
}

// says: the mask 0xffff does not name lane 16, which calls
LAUNCH(mask_without_caller, half_votes<<<1, 32>>>(room<unsigned>(32)));
