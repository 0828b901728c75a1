/**
 * @file device.cuh
 * @brief Stencil: what the kernels get and share.
 */

#define MAX_RADIUS 2

/** A box of cells: (x, y, z) is element (z * ny + y) * pitch + x. */
typedef struct {
    int nx;    /**< cells of a row, >= 1 */
    int ny;    /**< rows of a plane, >= 1 */
    int nz;    /**< planes, >= 1 */
    int pitch; /**< from row to row (elements), a multiple of 4 */
} box;

/** What a cell is multiplied by; [d] that at distance d, [0] is not used. */
typedef struct {
    float center;
    float left[MAX_RADIUS + 1];  /**< of (x - d, y, z) */
    float right[MAX_RADIUS + 1]; /**< of (x + d, y, z) */
    float front[MAX_RADIUS + 1]; /**< of (x, y - d, z) */
    float back[MAX_RADIUS + 1];  /**< of (x, y + d, z) */
    float below[MAX_RADIUS + 1]; /**< of (x, y, z - d) */
    float above[MAX_RADIUS + 1]; /**< of (x, y, z + d) */
} weights;

/** Is a cell computed, not copied? */
static inline HOST_DEVICE bool inside(box b, int radius, int x, int y, int z)
{
    return x >= radius && x < b.nx - radius && y >= radius &&
           y < b.ny - radius && z >= radius && z < b.nz - radius;
}

/** Where cell (x, y, z) is. */
static inline HOST_DEVICE int64_t at(box b, int x, int y, int z)
{
    return ((int64_t)z * b.ny + y) * b.pitch + x;
}

/** Cell (x, y, z), or 0 where there is none: no cell that counts needs it. */
__device__ float cell(box b, const float *in, int x, int y, int z)
{
    bool there = x >= 0 && x < b.nx && y >= 0 && y < b.ny && z >= 0 && z < b.nz;
    return there ? in[at(b, x, y, z)] : 0.0f;
}

/** The weighted sum of a cell, @p own, and its neighbours around @p c in x and
 *  y; rows are @p row apart. */
template <int R>
__device__ float weigh_plane(const weights &w, float own, const float *c,
                             int row)
{
    // [weigh]
    float sum = w.center * own;
#pragma unroll
    for (int d = 1; d <= R; d++) {
        sum += w.left[d] * c[-d];
        sum += w.right[d] * c[d];
        sum += w.front[d] * c[-d * row];
        sum += w.back[d] * c[d * row];
    }
    // [weigh]
    return sum;
}
