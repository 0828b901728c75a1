/**
 * @file 3_float4.cuh
 * @brief Vector addition by 16-byte accesses, and a launch for what is left.
 *
 * Change: one thread adds four neighbours, which it loads and stores as float4.
 * Reason: a warp's request brings 512 bytes instead of 128: a quarter of the
 *         requests, the same sectors.
 * Limit:  the sectors themselves: 12 bytes of memory for each addition.
 */

/**
 * One thread computes z[4 i] to z[4 i + 3]; n / 4 whole groups of four.
 *
 * Launch: block BLOCK, grid ceil(fours / BLOCK).
 */
// [float4]
__global__ void float4_kernel(int64_t fours, const float4 *x, const float4 *y,
                              float4 *z)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= fours)
        return;
    float4 a = x[i];
    float4 b = y[i];
    z[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
// [float4]

/**
 * A run of two launches: the groups of four, then up to three elements by the
 * kernel of 1_plain.cuh.
 */
static void by_float4(const void *problem)
{
    const vectors *v = (const vectors *)problem;
    int64_t fours = v->n / 4;
    int64_t rest = v->n % 4;
    if (fours > 0) {
        dim3 grid(device_blocks(fours, BLOCK));
        float4_kernel<<<grid, BLOCK>>>(fours, (const float4 *)v->x,
                                       (const float4 *)v->y, (float4 *)v->z);
        CHECK_LAUNCH(float4_kernel, grid, BLOCK, 0);
    }
    if (rest > 0) {
        int64_t i = 4 * fours;
        plain_kernel<<<1, BLOCK>>>(rest, v->x + i, v->y + i, v->z + i);
        CHECK_LAUNCH(plain_kernel, 1, BLOCK, 0);
    }
}
