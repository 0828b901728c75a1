// Softmax, the exercise: layernorm, a warp a row.
#include "../chapters/softmax/host/layernorm.cuh"

#define THREADS 256 /**< of a block: eight rows */
#define MOST 32     /**< elements of a lane: rows of at most 1,024 */

/** Launch: block THREADS, a warp for each row. */
__global__ void __launch_bounds__(THREADS) layernorm_kernel(softmax s)
{
    int lane = threadIdx.x % 32;
    int64_t row = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    if (row >= s.rows)
        return; // the whole warp
    const float *x = s.x + row * s.pitch;
    float *y = s.y + row * s.pitch;
    float v[MOST]; // elements lane, lane + 32, ...; 0 past the end of the row
#pragma unroll
    for (int k = 0; k < MOST; k++)
        v[k] = 32 * k + lane < s.cols ? x[32 * k + lane] : 0.0f;
    // [write 9] the mean of the row, and 1 / sqrt(variance + EPSILON), of
    // what the lanes have in v; warp_sum() is the chapter's
    float sum = 0.0f, squares = 0.0f;
    for (int k = 0; k < MOST; k++)
        sum += v[k];
    float mean = warp_sum(sum) / s.cols;
    for (int k = 0; k < MOST; k++) {
        float distance = 32 * k + lane < s.cols ? v[k] - mean : 0.0f;
        squares += distance * distance;
    }
    float factor = rsqrtf(warp_sum(squares) / s.cols + EPSILON);
    //: float mean = v[0], factor = 1.0f;
    // [end]
#pragma unroll
    for (int k = 0; k < MOST; k++)
        if (32 * k + lane < s.cols)
            y[32 * k + lane] = (v[k] - mean) * factor;
}

static void layernorm(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    REQUIRE(s->cols <= 32 * MOST, "--cols %d: at most %d", s->cols, 32 * MOST);
    unsigned grid = device_blocks(s->rows, THREADS / 32);
    layernorm_kernel<<<grid, THREADS>>>(*s);
    CHECK_LAUNCH(layernorm_kernel, grid, THREADS, 0);
}

static const variant variants[] = {
    {"layernorm", "a warp a row, the row in registers", layernorm},
};

int main(int argc, char **argv)
{
    experiment e = describe_layernorm(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
