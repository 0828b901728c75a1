// Histogram, the exercise: four bytes a load.
#include "../chapters/histogram/host/problem.cuh"

#include "../chapters/histogram/kernels/3_private_shared.cuh" // clear_bins(), merge_bins()

/** Count one byte in the bins of the block. */
template <int BINS>
__device__ void count(unsigned *bins, unsigned byte)
{
    unsigned bin = bin_of<BINS>(byte);
    if (bin < BINS)
        atomicAdd(&bins[bin], 1);
}

/** Launch: block BLOCK, grid full_grid(h->n, BLOCK, PER_SM). */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    fours_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    const unsigned *fours = (const unsigned *)x; // n / 4 whole ones
    // [write 7] count all n bytes, four by one load; n may be any number
    for (int64_t i = thread; i < n / 4; i += threads) {
        unsigned four = fours[i];
        for (int j = 0; j < 4; j++)
            count<BINS>(bins, four >> 8 * j & 255);
    }
    if (thread < n % 4)
        count<BINS>(bins, x[n - 1 - thread]);
    //: for (int64_t i = thread; i < n / 4; i += threads)
    //:     count<BINS>(bins, fours[i] & 255);
    // [end]
    merge_bins<BINS>(bins, counts);
}

template <int BINS>
static void launch_fours(const histogram *h)
{
    unsigned grid = full_grid(h->n, BLOCK, PER_SM);
    fours_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(fours_kernel<BINS>, grid, BLOCK, 0);
}

ENQUEUE(fours)

static const variant variants[] = {
    {"fours", "four bytes a load", fours},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
