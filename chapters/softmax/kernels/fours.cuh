/**
 * @file fours.cuh
 * @brief A row in pieces of 16 bytes that threads keep in registers.
 *
 * Rows may begin anywhere: with 33 columns and nothing between them at every
 * fourth byte. So a row is cut where 16 bytes may begin: whole fours, and up to
 * three elements on either side, its edge.
 * Uses: part (3)
 */

/** A row, cut. */
typedef struct {
    const float *x; /**< [cols] */
    float *y;       /**< [cols] */
    int cols;       /**< of it ... */
    int head;       /**< ... so many before the first four, 0 to 3, ... */
    int fours;      /**< ... 4 * fours, and the rest behind them */
} cut_row;

/** Fours of any row of a problem, at most; at least one. */
static int most_fours(const softmax *s)
{
    return max(s->cols / 4, 1);
}

/** What a thread has of it: fours, and perhaps an element of the edge. */
template <int FOURS>
struct piece {
    float4 v[FOURS];
    float edge;
};

__device__ cut_row cut(const softmax &s, int64_t row)
{
    int64_t at = row * s.pitch;
    int head = min((int)(-at & 3), s.cols);
    return {s.x + at, s.y + at, s.cols, head, (s.cols - head) / 4};
}

/** Which column is element i of the edge; it has up to six. -1: none is. */
__device__ int edge_column(const cut_row &r, int i)
{
    int left = r.cols - 4 * r.fours;
    return i < r.head ? i : i < left ? 4 * r.fours + i : -1;
}

// [load]
/** Fours number first, first + step, ... of a row; past its end -Inf. */
template <int FOURS>
__device__ void load_piece(const cut_row &r, int first, int step,
                           piece<FOURS> *p)
{
    const float4 *x = (const float4 *)&r.x[r.head];
    const float none = -INFINITY;
    int column = edge_column(r, first);
    p->edge = column < 0 ? none : r.x[column];
#pragma unroll
    for (int k = 0; k < FOURS; k++) { // all are under way at a time
        int i = first + k * step;
        p->v[k] = i < r.fours ? x[i] : make_float4(none, none, none, none);
    }
}
// [load]

/** The other way, times @p scale. */
template <int FOURS>
__device__ void store_piece(const cut_row &r, int first, int step,
                            const piece<FOURS> &p, float scale)
{
    float4 *y = (float4 *)&r.y[r.head];
    int column = edge_column(r, first);
    if (column >= 0)
        r.y[column] = p.edge * scale;
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        int i = first + k * step;
        if (i < r.fours)
            y[i] = make_float4(p.v[k].x * scale, p.v[k].y * scale,
                               p.v[k].z * scale, p.v[k].w * scale);
    }
}

/**
 * Replace each x by exp(x - the largest of this thread): what they sum up to.
 *
 * __expf() is one instruction of the hardware and a few around it, off by up to
 * 2 + |1.173 x| units in the last place (CUDA Programming Guide, Mathematical
 * Functions).
 */
template <int FOURS>
__device__ part exp_piece(piece<FOURS> *p)
{
    float most = p->edge;
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        float4 v = p->v[k];
        most = fmaxf(most, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    }
    float origin = most == -INFINITY ? 0.0f : most; // exp(-Inf - 0) is 0
    float sum = p->edge = __expf(p->edge - origin);
#pragma unroll
    for (int k = 0; k < FOURS; k++) {
        float4 v = p->v[k];
        v = make_float4(__expf(v.x - origin), __expf(v.y - origin),
                        __expf(v.z - origin), __expf(v.w - origin));
        sum += v.x + v.y + (v.z + v.w);
        p->v[k] = v;
    }
    return {most, sum};
}
