/**
 * @file 5_vector.cuh
 * @brief Threads that march along z with four cells each.
 *
 * Change: a thread has four neighbouring columns, in registers: 16 bytes an
 *         access. No shared memory and no barrier: cells in front and behind
 *         come from the L1, which has them since the threads there loaded them
 *         a moment ago; so do the cells at the left and at the right.
 * Reason: nobody waits for anybody, so loads of 16 bytes are under way all the
 *         time. Blocks are small: 128 threads that end begin anew elsewhere.
 * Limit:  memory. Each cell is read once from DRAM and written once, but for
 *         the planes where one block ends and the next one begins.
 */

#ifndef VECTOR_X
#define VECTOR_X 32 /**< threads of a block in x, four cells each */
#endif
#ifndef VECTOR_Y
#define VECTOR_Y 4 /**< rows of a block */
#endif
#ifndef UNROLL
#define UNROLL 1 /**< planes of one turn of the loop */
#endif
#ifndef PLANES
#define PLANES 0 /**< planes of a block; 0: planes_of() chooses */
#endif
#ifndef RESIDENT
#define RESIDENT 1 /**< blocks that an SM should have registers for */
#endif

#include "four.cuh"

static const int AHEAD = UNROLL; // a pragma takes no macro

/**
 * One thread computes four columns of @p planes cells.
 *
 * Launch: block (VECTOR_X, VECTOR_Y), a block for each 4 VECTOR_X x VECTOR_Y x
 * planes cells.
 */
template <int R>
__global__ void __launch_bounds__(VECTOR_X *VECTOR_Y, RESIDENT)
    vector_kernel(box b, weights w, int planes, const float *__restrict__ in,
                  float *__restrict__ out)
{
    // [columns]
    int x = 4 * (blockIdx.x * VECTOR_X + threadIdx.x);
    int y = blockIdx.y * VECTOR_Y + threadIdx.y;
    int z = blockIdx.z * planes;
    int end = min(z + planes, b.nz);
    if (x >= b.nx || y >= b.ny)
        return;
    int last = min(end, b.nz - R); // behind it and before R: copied
    bool rows_around = y >= R && y < b.ny - R;
    if (!rows_around || max(z, R) >= last) {
        copy4(b, in, out, x, y, z, end);
        return;
    }
    copy4(b, in, out, x, y, z, R);
    copy4(b, in, out, x, y, last, end);
    // [columns]

    // [vector]
    z = max(z, R);
    int64_t plane = (int64_t)b.ny * b.pitch;
    int64_t i = at(b, x, y, z);
    float4 column[2 * R + 1]; // column[R + d] is plane z + d
#pragma unroll
    for (int k = 0; k < 2 * R; k++)
        column[k + 1] = load4(in + i + (k - R) * plane);
#pragma unroll AHEAD
    for (; z < last; z++, i += plane) {
#pragma unroll
        for (int k = 0; k < 2 * R; k++)
            column[k] = column[k + 1];
        column[2 * R] = load4(in + i + R * plane);
        float4 sum = weigh4<R>(w, in + i, b.pitch, column);
        store4(out + i, choose4<R>(b, x, sum, column[R]), b.nx - x);
    }
    // [vector]
}

/**
 * Planes of a block: as many as leave 2048 blocks, about what a large GPU
 * holds at a time, but 8 to 128; and 16 where planes are so large that the L2
 * holds only a few: blocks that march far drift apart, and what one of them
 * loads has left the L2 when its neighbour needs it.
 */
static int planes_of(box b)
{
    int64_t columns =
        (int64_t)ceil_div(b.nx, 4 * VECTOR_X) * ceil_div(b.ny, VECTOR_Y);
    int64_t layers = 2048 / columns > 1 ? 2048 / columns : 1;
    int planes = ceil_div(b.nz, (int)layers);
    int most = (int64_t)b.nx * b.ny <= 768 * 768 ? 128 : 16;
    return PLANES ? PLANES : planes < 8 ? 8 : planes > most ? most : planes;
}

template <int R>
static void step_vector(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    int planes = planes_of(b);
    dim3 block(VECTOR_X, VECTOR_Y);
    dim3 grid(ceil_div(b.nx, 4 * VECTOR_X), ceil_div(b.ny, VECTOR_Y),
              ceil_div(b.nz, planes));
    vector_kernel<R><<<grid, block>>>(b, s->w, planes, from, to);
    CHECK_LAUNCH(vector_kernel<R>, grid, block, 0);
}
