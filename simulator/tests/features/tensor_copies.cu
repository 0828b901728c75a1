#include "cases.h"
#include "tensor_map.h"

__device__ unsigned shared(const void *x)
{
    return (unsigned)__cvta_generic_to_shared(x);
}

// feature: boxes from shared memory by TMA: `cp.async.bulk.tensor` stores,
// swizzled, cut at the edge as by an H200; commit_group, wait_group;
// elect.sync
// counted only: inline PTX needs clang

enum { ROWS = 20, PITCH = 40, COLS = 35, BOX_ROWS = 16, BOX_COLS = 32 };

__device__ bool elected()
{
    unsigned chosen;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; "
                 "selp.b32 %0, 1, 0, p; }"
                 : "=r"(chosen));
    return chosen;
}

/** Fill a box and store it at (row, col). */
__global__ void put(const __grid_constant__ CUtensorMap map, int row, int col,
                    int swizzle)
{
    __shared__ __align__(1024) uint16_t box[BOX_ROWS * BOX_COLS];
    int i = threadIdx.x, byte = i * 2;
    byte ^= (byte >> 7 & ((1 << swizzle) - 1)) << 4;
    box[byte / 2] = (uint16_t)(1 + i);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads(); // the box is full
    if (i < 32 && elected())
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                     "[%0, {%1, %2}], [%3]; cp.async.bulk.commit_group; "
                     "cp.async.bulk.wait_group.read 0; "
                     "cp.async.bulk.wait_group 0;" ::"l"(&map),
                     "r"(col), "r"(row), "r"(shared(box))
                     : "memory");
}

CASE(tensor_stores)
{
    static uint16_t got[ROWS][PITCH];
    uint16_t *d_x = room<uint16_t>(ROWS * PITCH);
    for (int swizzle : {0, 2}) {
        CUtensorMap map;
        CHECK(tensor_map(&map, d_x, ROWS, COLS, PITCH * 2, BOX_ROWS, BOX_COLS,
                         swizzle) == CUDA_SUCCESS);
        for (int row : {0, 10, -3})
            for (int col : {0, 16, -8, 40}) {
                CHECK_CUDA(cudaMemset(d_x, 0, sizeof got));
                put<<<1, BOX_ROWS * BOX_COLS>>>(map, row, col, swizzle);
                CHECK_CUDA(
                    cudaMemcpy(got, d_x, sizeof got, cudaMemcpyDeviceToHost));
                int wrong = 0;
                for (int i = 0; i < ROWS * PITCH; i++) {
                    int m = i / PITCH - row, n = i % PITCH - col;
                    // pieces of 16 bytes that begin in the matrix are whole
                    bool in = m >= 0 && m < BOX_ROWS && n >= 0 && n < BOX_COLS;
                    int want = in ? 1 + m * BOX_COLS + n : 0;
                    wrong += got[i / PITCH][i % PITCH] != want;
                }
                CHECK_EQUAL(wrong, 0);
            }
    }
}
