/**
 * @file 3_coarsened.cuh
 * @brief Blocks that march along z.
 *
 * Change: a block of EDGE x EDGE threads computes EDGE - 2R planes one after
 *         the other. Shared memory holds only the planes that are needed now:
 *         2R + 1 of them, and the next one takes the place of the lowest.
 * Reason: the cube of a block may be 32 cells wide, and a warp loads a row of
 *         32: 13/4 (1 - 2/32)^3 = 2.68 FLOP per byte.
 * Limit:  a cell's value goes to shared memory once and is read from there
 *         seven times, though what stands above and below is for one thread.
 * Uses:   at, cell, inside, weigh_plane (device.cuh)
 */

#define EDGE 32 /**< edge of a block's planes, halo included (cells) */

/**
 * One thread loads a column of cells; those inside compute it.
 *
 * Launch: block (EDGE, EDGE), a block for each (EDGE - 2R)^3 cells.
 */
template <int R>
__global__ void __launch_bounds__(EDGE *EDGE)
    coarsened_kernel(box b, weights w, const float *in, float *out)
{
    const int INNER = EDGE - 2 * R; // edge of what the block computes
    const int HELD = 2 * R + 1;
    __shared__ float planes[HELD][EDGE][EDGE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = (int)blockIdx.x * INNER + tx - R;
    int y = (int)blockIdx.y * INNER + ty - R;
    int first = blockIdx.z * INNER;
    int count = min(INNER, b.nz - first);
    box square = {EDGE, EDGE, HELD, EDGE};
    bool mine = inside(square, R, tx, ty, R) && x < b.nx && y < b.ny;
    for (int k = 0; k < 2 * R; k++)
        planes[k][ty][tx] = cell(b, in, x, y, first - R + k);
    // [coarsened]
    for (int k = 0; k < count; k++) { // plane z + d is in (k + R + d) % HELD
        int z = first + k;
        planes[(k + 2 * R) % HELD][ty][tx] = cell(b, in, x, y, z + R);
        __syncthreads(); // the highest plane is there before it is read
        // [coarsened]
        if (mine) {
            const float *c = &planes[(k + R) % HELD][ty][tx];
            float value = *c;
            if (inside(b, R, x, y, z)) {
                value = weigh_plane<R>(w, value, c, EDGE);
#pragma unroll
                for (int d = 1; d <= R; d++) {
                    value += w.below[d] * planes[(k + R - d) % HELD][ty][tx];
                    value += w.above[d] * planes[(k + R + d) % HELD][ty][tx];
                }
            }
            out[at(b, x, y, z)] = value;
        } // next is overwritten: the cell below, which nobody else reads now
    }
}

template <int R>
static void step_coarsened(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    const int inner = EDGE - 2 * R;
    dim3 block(EDGE, EDGE);
    dim3 grid(ceil_div(b.nx, inner), ceil_div(b.ny, inner),
              ceil_div(b.nz, inner));
    coarsened_kernel<R><<<grid, block>>>(b, s->w, from, to);
    CHECK_LAUNCH(coarsened_kernel<R>, grid, block, 0);
}
