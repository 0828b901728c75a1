/**
 * @file 4_register.cuh
 * @brief Blocks that march along z, with one plane in shared memory.
 *
 * Change: a thread keeps its column, R cells below to R cells above, in
 *         registers. Shared memory holds the current plane alone.
 * Reason: what stands above and below is read by one thread only, so there is
 *         nothing to share. A third of the shared memory (radius 1), four
 *         loads from it instead of seven; the same global traffic.
 * Limit:  a warp waits at two barriers for each plane, since the only plane is
 *         overwritten, with one load of 4 bytes a thread under way.
 * Uses:   at, cell, inside (device.cuh), EDGE (3)
 */

/**
 * One thread loads a column of cells; those inside compute it.
 *
 * Launch: as for coarsened_kernel.
 */
template <int R>
__global__ void __launch_bounds__(EDGE *EDGE)
    register_kernel(box b, weights w, const float *in, float *out)
{
    const int INNER = EDGE - 2 * R; // edge of what the block computes
    __shared__ float plane[EDGE][EDGE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = (int)blockIdx.x * INNER + tx - R;
    int y = (int)blockIdx.y * INNER + ty - R;
    int first = blockIdx.z * INNER;
    int count = min(INNER, b.nz - first);
    box square = {EDGE, EDGE, 2 * R + 1, EDGE};
    bool mine = inside(square, R, tx, ty, R) && x < b.nx && y < b.ny;
    // [register]
    float column[2 * R + 1]; // column[R + d] is cell (x, y, z + d)
    for (int k = 0; k < 2 * R; k++)
        column[k + 1] = cell(b, in, x, y, first - R + k);
    for (int z = first; z < first + count; z++) {
#pragma unroll
        for (int k = 0; k < 2 * R; k++)
            column[k] = column[k + 1];
        column[2 * R] = cell(b, in, x, y, z + R);
        plane[ty][tx] = column[R];
        __syncthreads(); // the plane is there before it is read
        // [register]
        if (mine) {
            float value = column[R];
            if (inside(b, R, x, y, z)) {
                value = w.center * column[R];
#pragma unroll
                for (int d = 1; d <= R; d++) {
                    value += w.left[d] * plane[ty][tx - d];
                    value += w.right[d] * plane[ty][tx + d];
                    value += w.front[d] * plane[ty - d][tx];
                    value += w.back[d] * plane[ty + d][tx];
                    value += w.below[d] * column[R - d];
                    value += w.above[d] * column[R + d];
                }
            }
            out[at(b, x, y, z)] = value;
        }
        __syncthreads(); // all have read the plane: it is overwritten
    }
}

template <int R>
static void step_registers(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    const int inner = EDGE - 2 * R;
    dim3 block(EDGE, EDGE);
    dim3 grid(ceil_div(b.nx, inner), ceil_div(b.ny, inner),
              ceil_div(b.nz, inner));
    register_kernel<R><<<grid, block>>>(b, s->w, from, to);
    CHECK_LAUNCH(register_kernel<R>, grid, block, 0);
}
