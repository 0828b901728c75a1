// hunt of stencil
// Right if all planes are alike.
#include "../chapters/stencil/host/problem.cuh"

#define EDGE 32 /**< edge of a block's planes, halo included (cells) */

/**
 * One thread loads a column of cells; those inside compute it.
 *
 * Launch: block (EDGE, EDGE), a block for each (EDGE - 2R)^3 cells.
 */
template <int R>
__global__ void __launch_bounds__(EDGE *EDGE)
    march_kernel(box b, weights w, const float *in, float *out)
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
    float column[2 * R + 1]; // column[R + d] is cell (x, y, z + d)
    for (int k = 0; k < 2 * R; k++)
        column[k + 1] = cell(b, in, x, y, first - R + k);
    for (int z = first; z < first + count; z++) {
        for (int k = 0; k < 2 * R; k++)
            column[k] = column[k + 1];
        float next = cell(b, in, x, y, z + R);
        column[2 * R] = next;
        // [hunt]
        plane[ty][tx] = column[R];
        //: plane[ty][tx] = next;
        // [end]
        __syncthreads(); // the plane is there before it is read
        if (mine) {
            float value = column[R];
            if (inside(b, R, x, y, z)) {
                value = weigh_plane<R>(w, value, &plane[ty][tx], EDGE);
                for (int d = 1; d <= R; d++) {
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
static void step(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    const int inner = EDGE - 2 * R;
    dim3 block(EDGE, EDGE);
    dim3 grid(ceil_div(b.nx, inner), ceil_div(b.ny, inner),
              ceil_div(b.nz, inner));
    march_kernel<R><<<grid, block>>>(b, s->w, from, to);
    CHECK_LAUNCH(march_kernel<R>, grid, block, 0);
}

static void march(const void *problem)
{
    const stencil *s = (const stencil *)problem;
    run_steps(s, s->radius == 1 ? step<1> : step<2>);
}

static const variant variants[] = {
    {"march", "what stands above and below stays in registers", march},
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
