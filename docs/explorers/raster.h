/**
 * @file raster.h
 * @brief The order of blocks over C in bands of rows of tiles.
 */
#ifndef RASTER_H
#define RASTER_H

/**
 * Find the tile of a block: down a band of @p group rows of tiles, then to the
 * right; group 1 is row by row.
 *
 * @param tiles_m,tiles_n  rows and columns of tiles
 * @param[out] row,column  of the tile
 */
static inline HOST_DEVICE void tile_of(int block, int tiles_m, int tiles_n,
                                       int group, int *row, int *column)
{
    int band = block / (group * tiles_n) * group;
    int height = group < tiles_m - band ? group : tiles_m - band;
    int in_band = block % (group * tiles_n);
    *row = band + in_band % height;
    *column = in_band / height;
}

#endif
