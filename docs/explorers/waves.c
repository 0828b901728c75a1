/**
 * @file waves.c
 * @brief Which block of a GEMM computes which tile of C, and which run
 * together.
 *
 * raster.h is the code of gemm_09 between its markers [raster].
 */
#include <stdint.h>

#include "../../common/simulator/runtime/limits.h"

#define MAX_TILES (128 * 128) /**< a picture has room for */
#define MAX_EDGE 128          /**< tiles */

static int M, N, BM, BN, GROUP;

/** The page reads this as an array of 32-bit numbers: keep the order. */
typedef struct {
    uint32_t rows;    /**< of tiles */
    uint32_t columns; /**< of tiles */
    uint32_t blocks;
    uint32_t room;  /**< blocks that run at the same time */
    uint32_t waves; /**< rounds, if all blocks take as long */
    uint32_t last;  /**< blocks of the last wave */
    uint32_t of_a;  /**< strips of A that the wave asked for reads */
    uint32_t of_b;  /**< strips of B */
    uint32_t words; /**< of A and B that it reads for each k */
    uint8_t needs_a[MAX_EDGE];
    uint8_t needs_b[MAX_EDGE];
    uint32_t block_of[MAX_TILES]; /**< tile by tile, row by row */
} waves;

static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

/** The tile that a block computes. */
static void tile_of(uint32_t block, uint32_t *row, uint32_t *column)
{
    const struct {
        uint32_t x;
    } blockIdx = {block};
#include "raster.h"
    *row = (uint32_t)(tile_row / BM);
    *column = (uint32_t)(tile_col / BN);
}

/** Multiprocessors of the GPU that the lessons measure on. */
__attribute__((export_name("multiprocessors"))) uint32_t multiprocessors(void)
{
    return MULTIPROCESSORS;
}

/**
 * @param m,n     size of C
 * @param bm,bn   size of a tile
 * @param group   rows of tiles that blocks walk over together
 * @param sms     multiprocessors
 * @param per_sm  blocks that an SM has room for
 * @param wave    the one whose strips are counted, from 1; past the end: the
 *                last one
 */
__attribute__((export_name("explore"))) const waves *
explore(int m, int n, int bm, int bn, int group, uint32_t sms, uint32_t per_sm,
        uint32_t wave)
{
    static waves result;
    M = m, N = n, BM = bm, BN = bn, GROUP = group;
    result = (waves){.rows = (uint32_t)ceil_div(M, BM),
                     .columns = (uint32_t)ceil_div(N, BN),
                     .room = sms * per_sm};
    result.blocks = result.rows * result.columns;
    result.waves = (result.blocks + result.room - 1) / result.room;
    result.last = result.blocks - (result.waves - 1) * result.room;
    wave = wave < result.waves ? wave : result.waves;
    for (uint32_t block = 0; block < result.blocks; block++) {
        uint32_t row, column;
        tile_of(block, &row, &column);
        result.block_of[row * result.columns + column] = block;
        if (block / result.room + 1 != wave)
            continue;
        result.of_a += !result.needs_a[row];
        result.of_b += !result.needs_b[column];
        result.needs_a[row] = result.needs_b[column] = 1;
    }
    result.words = result.of_a * (uint32_t)BM + result.of_b * (uint32_t)BN;
    return &result;
}
