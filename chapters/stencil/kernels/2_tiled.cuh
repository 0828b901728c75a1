/**
 * @file 2_tiled.cuh
 * @brief Blocks that bring a cube of cells into shared memory.
 *
 * Change: a block loads T x T x T cells, each once, and computes those that
 *         have all their neighbours in the cube: T - 2R in each direction. The
 *         others are the halo, which the blocks beside it load as well.
 * Reason: 13 (T - 2)^3 operations for 4 T^3 bytes are 13/4 (1 - 2/T)^3 FLOP per
 *         byte: 1.37 for T = 8.
 * Limit:  T^3 threads are a block, so T is 8 and more than half of the cells
 *         are halo. A row of 8 cells is 32 bytes that lie across two sectors.
 * Uses:   at, cell, inside, weigh_plane (device.cuh)
 */

#define TILE 8 /**< edge of a block's cube, halo included (cells) */

/**
 * One thread loads one cell; those inside compute it.
 *
 * Launch: block (TILE, TILE, TILE), a block for each (TILE - 2R)^3 cells.
 */
template <int R>
__global__ void __launch_bounds__(TILE *TILE *TILE)
    tiled_kernel(box b, weights w, const float *in, float *out)
{
    // [tiled]
    const int INNER = TILE - 2 * R; // edge of what the block computes
    __shared__ float tile[TILE][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    int x = (int)blockIdx.x * INNER + tx - R;
    int y = (int)blockIdx.y * INNER + ty - R;
    int z = (int)blockIdx.z * INNER + tz - R;
    tile[tz][ty][tx] = cell(b, in, x, y, z);
    __syncthreads(); // the whole cube is there before it is read
    // [tiled]

    // [halo]
    box cube = {TILE, TILE, TILE, TILE};
    if (!inside(cube, R, tx, ty, tz) || x >= b.nx || y >= b.ny || z >= b.nz)
        return; // a thread of the halo, or outside the box
    // [halo]
    const float *c = &tile[tz][ty][tx];
    float value = *c;
    if (inside(b, R, x, y, z)) {
        value = weigh_plane<R>(w, value, c, TILE);
#pragma unroll
        for (int d = 1; d <= R; d++) {
            value += w.below[d] * c[-d * TILE * TILE];
            value += w.above[d] * c[d * TILE * TILE];
        }
    }
    out[at(b, x, y, z)] = value;
}

template <int R>
static void step_tiled(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    const int inner = TILE - 2 * R;
    dim3 block(TILE, TILE, TILE);
    dim3 grid(ceil_div(b.nx, inner), ceil_div(b.ny, inner),
              ceil_div(b.nz, inner));
    tiled_kernel<R><<<grid, block>>>(b, s->w, from, to);
    CHECK_LAUNCH(tiled_kernel<R>, grid, block, 0);
}
