/**
 * @file four.cuh
 * @brief Four neighbouring cells as one value of 16 bytes: loaded, weighed,
 *        stored.
 */

/** The four cells at @p from, in one access. */
__device__ float4 load4(const float *from)
{
    return *(const float4 *)from;
}

/** @p w * @p v, four times. */
__device__ float4 multiply4(float w, float4 v)
{
    return make_float4(w * v.x, w * v.y, w * v.z, w * v.w);
}

/** @p sum + @p w * @p v, four times. */
__device__ float4 add4(float4 sum, float w, float4 v)
{
    return make_float4(sum.x + w * v.x, sum.y + w * v.y, sum.z + w * v.z,
                       sum.w + w * v.w);
}

/** Store the first @p count of four cells: what follows is padding. */
__device__ void store4(float *to, float4 v, int count)
{
    if (count >= 4) {
        *(float4 *)to = v;
        return;
    }
    to[0] = v.x;
    if (count > 1)
        to[1] = v.y;
    if (count > 2)
        to[2] = v.z;
}

/** Copy planes [z, end) of four columns. */
__device__ void copy4(box b, const float *in, float *out, int x, int y, int z,
                      int end)
{
    for (; z < end; z++) {
        int64_t i = at(b, x, y, z);
        store4(out + i, load4(in + i), b.nx - x);
    }
}

/**
 * The weighted sums of four cells.
 *
 * At the ends of a row c[-d] and c[3 + d] belong to other rows, or to padding:
 * cells that would need them are not inside.
 *
 * @param c       the first of the four, in memory
 * @param column  what is above and below, column[R] is the four themselves
 */
template <int R>
__device__ float4 weigh4(const weights &w, const float *c, int pitch,
                         const float4 *column)
{
    float4 own = column[R];
    float row[2 * R + 4]; // the four cells, and R on each side
#pragma unroll
    for (int d = 1; d <= R; d++) {
        row[R - d] = c[-d];
        row[R + 3 + d] = c[3 + d];
    }
    row[R] = own.x, row[R + 1] = own.y, row[R + 2] = own.z, row[R + 3] = own.w;
    float4 sum = multiply4(w.center, own);
#pragma unroll
    for (int d = 1; d <= R; d++) {
        const float *l = row + R - d;
        const float *r = row + R + d;
        sum = add4(sum, w.left[d], make_float4(l[0], l[1], l[2], l[3]));
        sum = add4(sum, w.right[d], make_float4(r[0], r[1], r[2], r[3]));
        sum = add4(sum, w.front[d], load4(c - d * pitch));
        sum = add4(sum, w.back[d], load4(c + d * pitch));
        sum = add4(sum, w.below[d], column[R - d]);
        sum = add4(sum, w.above[d], column[R + d]);
    }
    return sum;
}

/** @p sum, or @p own where the cell is not inside of its row. */
template <int R>
__device__ float4 choose4(box b, int x, float4 sum, float4 own)
{
    int first = R - x, end = b.nx - R - x; // of the four those inside
    return make_float4(first <= 0 && 0 < end ? sum.x : own.x,
                       first <= 1 && 1 < end ? sum.y : own.y,
                       first <= 2 && 2 < end ? sum.z : own.z,
                       first <= 3 && 3 < end ? sum.w : own.w);
}
