// Stencil, the exercise: a thread climbs, and remembers what it has seen.
#include "../chapters/stencil/host/problem.cuh"

#define COLS 32  /**< threads of a block in x */
#define ROWS 4   /**< and in y */
#define DEPTH 16 /**< planes that a thread climbs through */

/**
 * One thread computes the cells of a column, one above the other.
 *
 * Launch: block (COLS, ROWS), a block for each DEPTH planes of so many columns.
 */
template <int R>
__global__ void climb_kernel(box b, weights w, const float *in, float *out)
{
    int x = blockIdx.x * COLS + threadIdx.x;
    int y = blockIdx.y * ROWS + threadIdx.y;
    int first = blockIdx.z * DEPTH;
    if (x >= b.nx || y >= b.ny)
        return;
    float column[2 * R + 1]; // column[R + d] is cell (x, y, z + d)
    for (int k = 0; k < 2 * R; k++)
        column[k + 1] = cell(b, in, x, y, first - R + k);
    for (int z = first; z < min(first + DEPTH, b.nz); z++) {
        // [write 10] move the column up by a cell, by one load; the value
        // of the cell from it, and from its neighbours in x and y
        for (int k = 0; k < 2 * R; k++)
            column[k] = column[k + 1];
        column[2 * R] = cell(b, in, x, y, z + R);
        float value = column[R];
        if (inside(b, R, x, y, z)) {
            value = weigh_plane<R>(w, value, in + at(b, x, y, z), b.pitch);
            for (int d = 1; d <= R; d++)
                value +=
                    w.below[d] * column[R - d] + w.above[d] * column[R + d];
        }
        //: float value = cell(b, in, x, y, z);
        //: if (inside(b, R, x, y, z))
        //:     value = weigh_plane<R>(w, value, in + at(b, x, y, z), b.pitch);
        // [end]
        out[at(b, x, y, z)] = value;
    }
}

template <int R>
static void step(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    dim3 block(COLS, ROWS);
    dim3 grid(ceil_div(b.nx, COLS), ceil_div(b.ny, ROWS),
              ceil_div(b.nz, DEPTH));
    climb_kernel<R><<<grid, block>>>(b, s->w, from, to);
    CHECK_LAUNCH(climb_kernel<R>, grid, block, 0);
}

static void climb(const void *problem)
{
    const stencil *s = (const stencil *)problem;
    run_steps(s, s->radius == 1 ? step<1> : step<2>);
}

static const variant variants[] = {
    {"climb", "a thread climbs through the planes", climb},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    variants_open(&e, argc, argv);
    e.exact = problem.steps <= exact_steps(problem.radius) ? 1 : 0;
    variants_verify(&e);
    variants_time(&e);
    free(level);
    device_free(d_level);
    return variants_close(&e);
}
