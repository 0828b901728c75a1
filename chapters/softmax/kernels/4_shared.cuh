/**
 * @file 4_shared.cuh
 * @brief The row waits in shared memory.
 *
 * Change: the first pass leaves x in shared memory, the second one replaces it
 *         there by its exponential.
 * Reason: x is asked for once, and exp() is computed once for an element. A
 *         thread reads only what it has itself written: no barrier more.
 * Limit:  4 bytes a load, and the row crosses shared memory four times. A row
 *         must fit: up to 227 KiB on an H200.
 * Uses:   block_max, block_sum (device.cuh)
 */

/**
 * A block computes a row.
 *
 * Launch: block BLOCK, a block a row, a row of floats of shared memory.
 */
__global__ void __launch_bounds__(BLOCK) shared_kernel(softmax s)
{
    extern __shared__ float row[];
    const float *x = s.x + blockIdx.x * s.pitch;
    float *y = s.y + blockIdx.x * s.pitch;
    // [shared]
    float most = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < s.cols; c += BLOCK) {
        float value = x[c];
        row[c] = value;
        most = fmaxf(most, value);
    }
    most = block_max(most);
    for (int c = threadIdx.x; c < s.cols; c += BLOCK) {
        float value = expf(row[c] - most);
        row[c] = value;
        sum += value;
    }
    float scale = 1.0f / block_sum(sum);
    for (int c = threadIdx.x; c < s.cols; c += BLOCK)
        y[c] = row[c] * scale;
    // [shared]
}

/** Of a row; block_max() and block_sum() have 32 floats each beside it. */
static size_t shared_bytes(const softmax *s)
{
    return (size_t)s->cols * sizeof(float);
}

static const char *shared_refuse(const void *problem)
{
    int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return shared_bytes((const softmax *)problem) + 2 * 32 * sizeof(float) >
                   (size_t)most
               ? "a row does not fit into the shared memory of a block"
               : NULL;
}

static void shared(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    unsigned grid = device_blocks(s->rows, 1);
    size_t bytes = shared_bytes(s);
    CUDA_CHECK(cudaFuncSetAttribute(shared_kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)bytes));
    shared_kernel<<<grid, BLOCK, bytes>>>(*s);
    CHECK_LAUNCH(shared_kernel, grid, BLOCK, bytes);
}
