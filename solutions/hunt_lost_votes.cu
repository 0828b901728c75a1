// hunt of histogram
// order: warp:1
// The sum of all bins is less than n.
#include "../chapters/histogram/host/problem.cuh"

/** Launch: block BLOCK, grid full_grid(h->n, BLOCK, PER_SM). */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    votes_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    int t = threadIdx.x;
    for (int bin = 0; t == 0 && bin < BINS; bin++)
        bins[bin] = 0;
    __syncwarp(); // of its own warp nobody counts before
    // [hunt]
    __syncthreads(); // all bins are 0 before anybody counts
    // [end]
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * BLOCK + t; i < n; i += threads) {
        unsigned bin = bin_of<BINS>(x[i]);
        if (bin < BINS)
            atomicAdd(&bins[bin], 1);
    }
    __syncthreads(); // all have counted before the bins are read
    if (t < BINS && bins[t] > 0)
        atomicAdd(&counts[t], bins[t]);
}

template <int BINS>
static void launch_votes(const histogram *h)
{
    unsigned grid = full_grid(h->n, BLOCK, PER_SM);
    votes_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(votes_kernel<BINS>, grid, BLOCK, 0);
}

ENQUEUE(votes)

static const variant variants[] = {
    {"votes", "bins in shared memory", votes},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
