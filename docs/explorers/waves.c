/**
 * @file waves.c
 * @brief Which block of a GEMM computes which tile of C, and which run
 * together.
 */
#include <stdint.h>

#include "../../simulator/runtime/core/limits.h"

#define MAX_TILES (128 * 128) /**< a picture has room for */
#define MAX_EDGE 128          /**< tiles */

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

/**
 * Find the tile of a block: down a band of @p group rows of tiles, then to the
 * right; group 1 is row by row.
 *
 * @param tiles_m,tiles_n  rows and columns of tiles
 * @param[out] row,column  of the tile
 */
static void tile_of(int block, int tiles_m, int tiles_n, int group, int *row,
                    int *column)
{
    int band = block / (group * tiles_n) * group;
    int height = group < tiles_m - band ? group : tiles_m - band;
    int in_band = block % (group * tiles_n);
    *row = band + in_band % height;
    *column = in_band / height;
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
    result = (waves){.rows = (uint32_t)ceil_div(m, bm),
                     .columns = (uint32_t)ceil_div(n, bn),
                     .room = sms * per_sm};
    result.blocks = result.rows * result.columns;
    result.waves = (result.blocks + result.room - 1) / result.room;
    result.last = result.blocks - (result.waves - 1) * result.room;
    wave = wave < result.waves ? wave : result.waves;
    for (uint32_t block = 0; block < result.blocks; block++) {
        int row, column;
        tile_of((int)block, (int)result.rows, (int)result.columns, group, &row,
                &column);
        result.block_of[row * (int)result.columns + column] = block;
        if (block / result.room + 1 != wave)
            continue;
        result.of_a += !result.needs_a[row];
        result.of_b += !result.needs_b[column];
        result.needs_a[row] = result.needs_b[column] = 1;
    }
    result.words = result.of_a * (uint32_t)bm + result.of_b * (uint32_t)bn;
    return &result;
}
