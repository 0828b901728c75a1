/**
 * @file device.cuh
 * @brief Convolution: what the kernels and their launches share.
 */

#define EDGE 32 /**< edge of a block, variants 1 to 4 (threads) */

/** A pixel, or 0 outside of the picture. */
// [pixel]
__device__ float pixel(int width, int height, int pitch, const float *x,
                       int row, int col)
{
    bool inside = row >= 0 && row < height && col >= 0 && col < width;
    return inside ? x[(int64_t)row * pitch + col] : 0.0f;
}
// [pixel]

/** Blocks for tiles of @p edge x @p edge pixels. */
static inline dim3 tile_grid(const conv *c, int edge)
{
    return dim3(ceil_div((int)c->width, edge), ceil_div((int)c->height, edge));
}

/** FOR_RADIUS(f, c) calls f<R>(c) for the radius R of the problem. */
// [for_radius]
#define FOR_RADIUS(f, c)                                                       \
    do {                                                                       \
        static void (*const table[])(const conv *) = {f<1>, f<2>, f<3>, f<4>,  \
                                                      f<5>, f<6>, f<7>};       \
        table[(c)->radius - 1](c);                                             \
    } while (0)
// [for_radius]
