/**
 * @file rows.cuh
 * @brief How the threads of variants 7 to 10 hold a tile: in rows of 128
 *        elements, a float4 in each lane of a warp.
 */

/** The fours of a thread lie 32 apart: a warp's load is 512 bytes in a row. */
__device__ int first_of_thread()
{
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    return 4 * (warp * ROWS * 32 + lane);
}

/** Load x[0] to x[3], as far as @p left reaches; then come identities. */
template <operation OP>
__device__ float4 load_four(const float *x, int64_t left)
{
    if (left >= 4)
        return *(const float4 *)x;
    return make_float4(element<OP>(left, x, 0), element<OP>(left, x, 1),
                       element<OP>(left, x, 2), identity<OP>());
}

/** Load this thread's fours of a tile of @p left elements. */
template <operation OP>
__device__ void load_rows(int64_t left, const float *x, float4 v[ROWS])
{
    int first = first_of_thread();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        v[r] = load_four<OP>(x + first + 128 * r, left - first - 128 * r);
}

/** Store v, or what of it is within @p left elements. */
__device__ void store_four(float *y, int64_t left, float4 v)
{
    if (left >= 4) {
        *(float4 *)y = v;
        return;
    }
    if (left > 0)
        y[0] = v.x;
    if (left > 1)
        y[1] = v.y;
    if (left > 2)
        y[2] = v.z;
}

/** The four of @p v as one. */
template <operation OP>
__device__ float combine_four(float4 v)
{
    return combine<OP>(combine<OP>(v.x, v.y), combine<OP>(v.z, v.w));
}

/**
 * Scan @p rows rows of 128 elements, a float4 of each in every lane.
 *
 * @param before  receives what stands before each of this lane's fours
 * @return all rows as one, in all lanes
 */
// [rows]
template <operation OP, int rows>
__device__ float scan_rows(const float4 v[rows], float before[rows])
{
    float carry = identity<OP>(); // of the rows before
#pragma unroll
    for (int r = 0; r < rows; r++) {
        float sum = combine_four<OP>(v[r]);
        before[r] = combine<OP>(carry, scan_warp<OP>(&sum));
        carry = combine<OP>(carry, __shfl_sync(ALL_LANES, sum, 31));
    }
    return carry;
}
// [rows]

/** The four results for @p v, with @p before in front of it. */
template <operation OP, scan_kind KIND>
__device__ float4 scan_four(float before, float4 v)
{
    float x = combine<OP>(before, v.x);
    float y = combine<OP>(x, v.y);
    float z = combine<OP>(y, v.z);
    return KIND == INCLUSIVE ? make_float4(x, y, z, combine<OP>(z, v.w))
                             : make_float4(before, x, y, z);
}

/** Store this thread's results; @p front stands before its warp. */
template <operation OP, scan_kind KIND>
__device__ void store_rows(int64_t left, float *y, float front,
                           const float4 v[ROWS], const float before[ROWS])
{
    int first = first_of_thread();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        store_four(y + first + 128 * r, left - first - 128 * r,
                   scan_four<OP, KIND>(combine<OP>(front, before[r]), v[r]));
}
