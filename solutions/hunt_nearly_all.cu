// hunt of histogram
// Nearly right: a few counts are missing, more on a larger GPU.
#include "../chapters/histogram/host/problem.cuh"

#include "../chapters/histogram/kernels/3_private_shared.cuh" // clear_bins(), merge_bins()

/** Launch: block BLOCK, grid full_grid(h->n, BLOCK, PER_SM). */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    runs_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    clear_bins<BINS>(bins);
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned last = BINS; // the bin of the run, none yet ...
    unsigned run = 0;     // ... and its length so far
    for (int64_t i = thread; i < n; i += threads) {
        unsigned bin = bin_of<BINS>(x[i]);
        if (bin != last) {
            if (last < BINS)
                atomicAdd(&bins[last], run);
            last = bin;
            run = 0;
        }
        run++;
    }
    // [hunt]
    if (last < BINS)
        atomicAdd(&bins[last], run); // the last run has no successor
    // [end]
    merge_bins<BINS>(bins, counts);
}

template <int BINS>
static void launch_runs(const histogram *h)
{
    unsigned grid = full_grid(h->n, BLOCK, PER_SM);
    runs_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(runs_kernel<BINS>, grid, BLOCK, 0);
}

ENQUEUE(runs)

static const variant variants[] = {
    {"runs", "a run of equal values is one addition", runs},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
