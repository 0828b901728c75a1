/**
 * @file 1_basic.cuh
 * @brief A thread for each cell.
 *
 * Change: the loop over cells becomes a grid of threads.
 * Reason: no cell of a step depends on another one of the same step.
 * Limit:  13 operations for 7 loads of 4 bytes: 0.46 FLOP per byte asked for.
 *         Neighbours ask for the same cells again and again.
 * Uses:   at, inside, weigh_plane (device.cuh)
 */

#define BASIC_X 32 /**< cells of a block in x: a warp has a piece of a row */
#define BASIC_Y 4  /**< rows of a block */
#define BASIC_Z 2  /**< planes of a block */

/**
 * One thread computes one cell.
 *
 * Launch: block (BASIC_X, BASIC_Y, BASIC_Z), a grid of them over all cells.
 */
template <int R>
__global__ void basic_kernel(box b, weights w, const float *in, float *out)
{
    int x = blockIdx.x * BASIC_X + threadIdx.x;
    int y = blockIdx.y * BASIC_Y + threadIdx.y;
    int z = blockIdx.z * BASIC_Z + threadIdx.z;
    if (x >= b.nx || y >= b.ny || z >= b.nz)
        return;
    // [basic]
    const float *c = in + at(b, x, y, z);
    int64_t plane = (int64_t)b.ny * b.pitch;
    float value = *c;
    if (inside(b, R, x, y, z)) {
        value = weigh_plane<R>(w, value, c, b.pitch);
#pragma unroll
        for (int d = 1; d <= R; d++) {
            value += w.below[d] * c[-d * plane];
            value += w.above[d] * c[d * plane];
        }
    }
    out[at(b, x, y, z)] = value;
    // [basic]
}

template <int R>
static void step_basic(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    dim3 block(BASIC_X, BASIC_Y, BASIC_Z);
    dim3 grid(ceil_div(b.nx, BASIC_X), ceil_div(b.ny, BASIC_Y),
              ceil_div(b.nz, BASIC_Z));
    basic_kernel<R><<<grid, block>>>(b, s->w, from, to);
    CHECK_LAUNCH(basic_kernel<R>, grid, block, 0);
}
