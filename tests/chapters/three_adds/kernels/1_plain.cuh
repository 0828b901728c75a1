/**
 * @file 1_plain.cuh
 * @brief Vector addition, plain: one thread adds one element.
 *
 * Change: none; this is the formula.
 * Limit:  each warp asks for memory three times to add 32 numbers.
 */

/**
 * One thread computes z[i] = x[i] + y[i].
 *
 * Launch: block BLOCK, grid ceil(n / BLOCK).
 */
// [plain]
__global__ void plain_kernel(int64_t n, const float *x, const float *y,
                             float *z)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        z[i] = x[i] + y[i];
}
// [plain]

static void plain(const void *problem)
{
    const vectors *v = (const vectors *)problem;
    dim3 grid(device_blocks(v->n, BLOCK));
    plain_kernel<<<grid, BLOCK>>>(v->n, v->x, v->y, v->z);
    CHECK_LAUNCH(plain_kernel, grid, BLOCK, 0);
}
