/**
 * @file 5_vector.cuh
 * @brief Threads that march along z with four cells each.
 *
 * Change: a thread has four neighbouring columns, in registers: 16 bytes an
 *         access. No shared memory and no barrier: cells in front and behind
 *         come from the L1, which has them since the threads there loaded them
 *         a moment ago; so do the cells at the left and at the right.
 * Reason: nobody waits for anybody, so loads of 16 bytes are under way all the
 *         time. A block marches through few planes: the one above it begins
 *         soon after, and finds the planes that both need in the L2.
 * Limit:  memory. Each cell is read once from DRAM and written once.
 * Uses:   at (device.cuh), all of four.cuh
 */

#ifndef VECTOR_X
#define VECTOR_X 32 /**< threads of a block in x, four cells each */
#endif
#ifndef VECTOR_Y
#define VECTOR_Y 8 /**< rows of a block */
#endif
#ifndef PLANES
#define PLANES 6 /**< planes of a block for each cell of the radius */
#endif

#include "four.cuh"

/**
 * One thread computes four columns of PLANES * R cells.
 *
 * WHOLE: nx is a multiple of 4, so that no thread has fewer than four columns.
 *
 * Launch: block (VECTOR_X, VECTOR_Y), a block for each 4 VECTOR_X x VECTOR_Y x
 * (PLANES * R) cells.
 */
template <int R, bool WHOLE>
__global__ void __launch_bounds__(VECTOR_X *VECTOR_Y, 1)
    vector_kernel(box b, weights w, const float *__restrict__ in,
                  float *__restrict__ out)
{
    int x = 4 * (blockIdx.x * VECTOR_X + threadIdx.x);
    int y = blockIdx.y * VECTOR_Y + threadIdx.y;
    int z = blockIdx.z * PLANES * R;
    int end = min(z + PLANES * R, b.nz);
    if (x >= b.nx || y >= b.ny)
        return;
    int last = min(end, b.nz - R); // after it and before R: copied
    bool rows_around = y >= R && y < b.ny - R;
    if (!rows_around || max(z, R) >= last) {
        copy4(b, in, out, x, y, z, end);
        return;
    }
    copy4(b, in, out, x, y, z, R);
    copy4(b, in, out, x, y, last, end);

    z = max(z, R);
    int64_t plane = (int64_t)b.ny * b.pitch;
    int count = WHOLE ? 4 : b.nx - x; // cells to store, of four
    in += at(b, x, y, z);
    out += at(b, x, y, z);
    float4 column[2 * R + 1]; // column[R + d] is plane z + d
#pragma unroll
    for (int k = 0; k < 2 * R; k++)
        column[k + 1] = load4(in + (k - R) * plane);
        // [vector]
#pragma unroll 1
    for (; z < last; z++) {
#pragma unroll
        for (int k = 0; k < 2 * R; k++)
            column[k] = column[k + 1];
        column[2 * R] = load4(in + R * plane);
        float4 sum = weigh4<R>(w, in, b.pitch, column);
        store4(out, choose4<R>(b, x, sum, column[R]), count);
        in += plane;
        out += plane;
    }
    // [vector]
}

template <int R, bool WHOLE>
static void launch_vector(const stencil *s, const float *from, float *to)
{
    const box b = s->b;
    dim3 block(VECTOR_X, VECTOR_Y);
    dim3 grid(ceil_div(b.nx, 4 * VECTOR_X), ceil_div(b.ny, VECTOR_Y),
              ceil_div(b.nz, PLANES * R));
    vector_kernel<R, WHOLE><<<grid, block>>>(b, s->w, from, to);
    CHECK_LAUNCH((vector_kernel<R, WHOLE>), grid, block, 0);
}

template <int R>
static void step_vector(const stencil *s, const float *from, float *to)
{
    if (s->b.nx % 4 == 0)
        launch_vector<R, true>(s, from, to);
    else
        launch_vector<R, false>(s, from, to);
}
