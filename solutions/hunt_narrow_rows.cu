// hunt of softmax
// NaN in narrow rows of negative numbers.
#include "../chapters/softmax/host/problem.cuh"

/** Launch: a warp a row, which is a block of its own. */
__global__ void narrow_rows_kernel(softmax s)
{
    const float *x = s.x + blockIdx.x * s.pitch;
    float *y = s.y + blockIdx.x * s.pitch;
    float most = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < s.cols; c += blockDim.x)
        most = fmaxf(most, x[c]);
    most = warp_max(most);
    for (int c = threadIdx.x; c < s.cols; c += blockDim.x)
        sum += expf(x[c] - most);
    sum = warp_sum(sum);
    for (int c = threadIdx.x; c < s.cols; c += blockDim.x)
        y[c] = expf(x[c] - most) / sum;
}

static void narrow_rows(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    unsigned grid = device_blocks(s->rows, 1);
    // [hunt]
    int threads = 32;
    //: int threads = min(s->cols, 32); // no lane without an element
    // [end]
    narrow_rows_kernel<<<grid, threads>>>(*s);
    CHECK_LAUNCH(narrow_rows_kernel, grid, threads, 0);
}

static const variant variants[] = {
    {"narrow_rows", "a warp a row", narrow_rows},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
