/**
 * @file device.cuh
 * @brief Softmax: what the kernels and their launches share.
 */

#define BLOCK 512             /**< threads of a block, variants 2 to 4 */
#define ALL_LANES 0xffffffffu /**< mask of a shuffle of the whole warp */

/* ---- a warp ------------------------------------------------------------- */

/** The largest of the lanes' values, in each of them. */
// [warp]
__device__ float warp_max(float value)
{
#pragma unroll
    for (int offset = 16; offset >= 1; offset /= 2)
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, offset));
    return value;
}
// [warp]

/** Their sum, in each of them. */
__device__ float warp_sum(float value)
{
#pragma unroll
    for (int offset = 16; offset >= 1; offset /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, offset);
    return value;
}

/* ---- a block of whole warps --------------------------------------------- */

/** The largest of the threads' values, in each of them. */
// [block]
__device__ float block_max(float value)
{
    __shared__ float of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_max(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads(); // there is a value of each warp before all combine them
    return warp_max(lane < blockDim.x / 32 ? of_warp[lane] : -INFINITY);
}
// [block]

/** Their sum, in each of them; a block may ask once, as for the largest. */
__device__ float block_sum(float value)
{
    __shared__ float of_warp[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads(); // there is a sum of each warp before all combine them
    return warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : 0.0f);
}
