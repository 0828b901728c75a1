/**
 * @file four.cuh
 * @brief Four neighbouring cells as one value of 16 bytes.
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

/** Store the first @p count of four cells: what is behind is padding. */
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
