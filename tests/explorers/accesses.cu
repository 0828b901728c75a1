/**
 * @file accesses.cu
 * @brief The accesses that the explorers show, done by kernels, so that the
 *        simulator counts them; the order of blocks in bands; and what lanes
 *        have of a matrix for the tensor cores.
 *
 * Each line of stdin is a setting: the explorer's name and its numbers. Each is
 * one launch, which SIM_REPORT=FILE describes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#include "ptx.cuh"

#define HOST_DEVICE __host__ __device__
#include "raster.h"

#define LANES 32
#define ALIGNMENT (32 << 20) /**< no carry changes a tag bank (bytes) */
#define REACH (4 << 20)      /**< of the farthest lane (bytes) */
#define MAX_TILES (128 * 128)

/** The lanes of @p mask load elements that lie `pitch` apart. */
template <typename T>
__global__ void coalescing(const T *data, unsigned pitch, unsigned offset,
                           unsigned mask, T *sink)
{
    if (mask >> threadIdx.x & 1)
        sink[threadIdx.x] = data[offset + threadIdx.x * pitch];
}

/** Row and column of a lane, and its element in shared memory. */
template <typename T>
__global__ void banks(unsigned store, unsigned rows, unsigned columns,
                      unsigned exchange, T *sink)
{
    extern __shared__ float4 memory[];
    T *tile = (T *)memory;
    unsigned lanes = LANES / rows;
    unsigned row = threadIdx.x / lanes;
    unsigned column = threadIdx.x % lanes ^ row % exchange;
    unsigned at = row * columns + column;
    if (store) {
        tile[at] = T();
        return;
    }
    if (threadIdx.x == 0) // one lane: stores, no loads
        for (unsigned i = 0; i < LANES * columns + LANES; i++)
            tile[i] = T();
    __syncthreads(); // what lane 0 wrote is there for all
    sink[threadIdx.x] = tile[at];
}

#define EACH 128 /**< numbers that a lane notes */

/** Each lane notes what ldmatrix gives it of numbered elements. */
__global__ void matrices(unsigned pieces, bool swizzle, bool transposed,
                         unsigned *got)
{
    extern __shared__ float4 memory[];
    uint16_t *tile = (uint16_t *)memory;
    for (unsigned i = threadIdx.x; i < 16 * 8 * pieces; i += LANES)
        tile[i] = i;
    __syncwarp(); // what others wrote is there for ldmatrix
    unsigned row = threadIdx.x % 16, piece = threadIdx.x / 16;
    if (swizzle) // as many as the largest power of two that divides a row
        piece ^= row & 7 & ((pieces & -pieces) - 1);
    uint32_t at = shared_address(tile + (row * pieces + piece) * 8), to[4];
    transposed ? ldmatrix_x4_trans(to, at) : ldmatrix_x4(to, at);
    for (int e = 0; e < 8; e++)
        got[threadIdx.x * EACH + e] = to[e / 2] >> 16 * (e % 2) & 0xffff;
}

/** Where an element lies in As or Bs, as in tensor_05. */
static HOST_DEVICE int place(int row, int col)
{
    return (col / 64 * 64 + row) * 64 + (col / 8 ^ row) % 8 * 8 + col % 8;
}

/** Each lane notes its sums, 256 * row + column: row r of A has r and at last
 * 1, a column c of B has 256 and at last c. */
__global__ void products(bool by_four_warps, int k, unsigned *got)
{
    extern __shared__ float4 memory[]; // begins at a multiple of 1024
    __nv_bfloat16 *As = (__nv_bfloat16 *)memory, *Bs = As + 64 * 64;
    float sum[32][4] = {};
    for (int i = threadIdx.x; i < 16 * 256; i += blockDim.x) {
        int r = i / 16, j = i % 16;
        if (r < 64)
            As[place(r, k + j)] = j == 15 ? 1.0f : j == r % 15 ? (float)r : 0;
        Bs[place(k + i / 256, i % 256)] = i < 15 * 256 ? 256.0f : i % 256;
    }
    fence_proxy_async();
    __syncthreads(); // A and B are there
    if (by_four_warps) {
        wgmma_fence();
        wgmma_m64n256k16(
            sum, wgmma_descriptor(shared_address(As + k), 0),
            wgmma_descriptor(shared_address(Bs + k * 64), 64 * 128), false);
        wgmma_commit();
        wgmma_wait<0>();
    } else {
        uint32_t a[4], b[4], row = threadIdx.x % 16, col = threadIdx.x / 16 * 8;
        ldmatrix_x4(a, shared_address(As + place(row, k + col)));
        ldmatrix_x4_trans(b, shared_address(Bs + place(k + row, col)));
        mma_m16n8k16(sum[0], a, b);
    }
    for (int e = 0; e < EACH; e++)
        got[threadIdx.x * EACH + e] = (unsigned)sum[e / 4][e % 4];
}

static HOST_DEVICE int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

/** Each block notes its number at its tile. */
__global__ void waves(int M, int N, int BM, int BN, int GROUP, unsigned *tiles)
{
    int tiles_n = ceil_div(N, BN), row, column;
    tile_of(blockIdx.x, ceil_div(M, BM), tiles_n, GROUP, &row, &column);
    tiles[row * tiles_n + column] = blockIdx.x;
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

template <typename T>
static void run_coalescing(const unsigned *s, void *data, void *sink)
{
    coalescing<T><<<1, LANES>>>((T *)data, s[1], s[2], s[3], (T *)sink);
}

template <typename T>
static void run_banks(const unsigned *s, void *sink)
{
    unsigned words = sizeof(T) / 4, columns = (s[3] + s[4] + words - 1) / words;
    unsigned exchange = 1; // the largest power of two that divides a row
    while (s[5] && columns > 0 && 2 * exchange * words <= 32 &&
           columns % (2 * exchange) == 0)
        exchange *= 2;
    size_t bytes = (LANES * columns + LANES) * sizeof(T);
    check(cudaFuncSetAttribute(
        banks<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    banks<T><<<1, LANES, bytes>>>(s[0], s[2], columns, exchange, (T *)sink);
}

/** Print a sum that depends on what each lane has; or on where elements of A
 * and B of wgmma lie, without which products() would be wrong. */
static void run_fragments(const unsigned *s, unsigned *d_got)
{
    enum { MMA_A, MMA_B, MMA_C, ROWS, COLUMNS, WGMMA_C, WGMMA_A, WGMMA_B };
    static unsigned got[128 * EACH];
    unsigned what = s[0], sum = 0, i, j;
    unsigned shape[][2] = {{32, 8}, {32, 4},         {32, 4},  {32, 8},
                           {32, 8}, {128, s[4] / 2}, {64, 16}, {s[4], 16}};
    // In rows of 16 element (r, c) is number 16 * r + c.
    unsigned pieces = what <= MMA_B ? 2 : (s[1] + s[2] + 7) / 8;
    if (what == MMA_C || what >= WGMMA_C)
        products<<<1, what == MMA_C ? 32 : 128, 40 << 10>>>(what != MMA_C, s[5],
                                                            d_got);
    else
        matrices<<<1, LANES, 16 * 16 * pieces>>>(
            pieces, what > MMA_B && s[3], what == MMA_B || what == COLUMNS,
            d_got);
    check(cudaMemcpy(got, d_got, sizeof(got), cudaMemcpyDeviceToHost));
    for (i = 0; i < shape[what][0]; i++)
        for (j = 0; j < shape[what][1]; j++)
            sum = sum * 31 + (what == WGMMA_A   ? place(i, s[5] + j)
                              : what == WGMMA_B ? place(s[5] + j, i)
                                                : got[i * EACH + j]);
    printf("%u\n", sum);
}

/** Print blocks, waves, blocks of the last one, strips of A and B of one wave,
 *  a sum that depends on the order of all blocks. */
static void run_waves(const unsigned *s)
{
    static unsigned tiles[MAX_TILES];
    unsigned *d_tiles, rows = ceil_div(s[0], s[2]);
    unsigned columns = ceil_div(s[1], s[3]), blocks = rows * columns;
    check(cudaMalloc((void **)&d_tiles, sizeof(tiles)));
    waves<<<blocks, 1>>>(s[0], s[1], s[2], s[3], s[4], d_tiles);
    check(cudaMemcpy(tiles, d_tiles, sizeof(tiles), cudaMemcpyDeviceToHost));
    check(cudaFree(d_tiles));
    unsigned room = s[5] * s[6], count = ceil_div(blocks, room);
    unsigned from = ((s[7] < count ? s[7] : count) - 1) * room;
    unsigned of_a = 0, of_b = 0, sum = 0;
    for (unsigned row = 0; row < rows; row++) {
        bool reads = false;
        for (unsigned col = 0; col < columns; col++)
            reads |= tiles[row * columns + col] - from < room;
        of_a += reads;
    }
    for (unsigned col = 0; col < columns; col++) {
        bool reads = false;
        for (unsigned row = 0; row < rows; row++)
            reads |= tiles[row * columns + col] - from < room;
        of_b += reads;
    }
    for (unsigned i = 0; i < blocks; i++)
        sum = sum * 31 + tiles[i];
    printf("%u,%u,%u,%u,%u,%u\n", blocks, count, blocks - (count - 1) * room,
           of_a, of_b, sum);
}

/** Print the blocks that an SM has room for: of a kernel of 32 registers, as
 *  the simulator takes them all to be. */
static void print_blocks(unsigned threads, unsigned shared)
{
    int blocks;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, waves,
                                                        (int)threads, shared));
    printf("%d\n", blocks);
}

int main(void)
{
    char *data, *sink;
    check(cudaMalloc((void **)&data, ALIGNMENT + REACH));
    check(cudaMalloc((void **)&sink, LANES * sizeof(float4)));
    data += ALIGNMENT - (uintptr_t)data % ALIGNMENT;
    check(cudaMemset(data, 0, REACH));
    char name[32];
    while (scanf("%31s", name) == 1) {
        unsigned s[8] = {0};
        int numbers = name[0] == 'c'   ? 4
                      : name[0] == 'b' ? 6
                      : name[0] == 'f' ? 6
                      : name[0] == 'w' ? 8
                                       : 2;
        for (int i = 0; i < numbers; i++)
            if (scanf("%u", &s[i]) != 1)
                return 1;
        if (strcmp(name, "coalescing") == 0)
            s[0] == 4   ? run_coalescing<float>(s, data, sink)
            : s[0] == 8 ? run_coalescing<float2>(s, data, sink)
                        : run_coalescing<float4>(s, data, sink);
        else if (strcmp(name, "waves") == 0)
            run_waves(s);
        else if (strcmp(name, "fragments") == 0)
            run_fragments(s, (unsigned *)data);
        else if (strcmp(name, "tiles") == 0)
            print_blocks(s[0], s[1]);
        else
            s[1] == 4   ? run_banks<float>(s, sink)
            : s[1] == 8 ? run_banks<float2>(s, sink)
                        : run_banks<float4>(s, sink);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
    }
    return 0;
}
