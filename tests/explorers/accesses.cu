/**
 * @file accesses.cu
 * @brief The accesses that the explorers show, done by kernels, so that the
 *        simulator counts them; and the order of blocks in bands.
 *
 * Each line of stdin is a setting: the explorer's name and its numbers. Each is
 * one launch, which SIM_REPORT=FILE describes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

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
