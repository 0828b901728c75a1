/**
 * @file device.cuh
 * @brief Histogram: what the kernels and their launches share.
 */

#define BLOCK 1024 /**< threads of a block */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ == 750
#define PER_SM 1 /**< such blocks fill an SM: on Turing one */
#else
#define PER_SM 2 /**< variants 4 to 7 have as many on an SM */
#endif

// [bin_of]
/** The bin of a byte; BINS and more if it has none. */
template <int BINS>
__device__ unsigned bin_of(unsigned byte)
{
    if (BINS == BYTE_BINS)
        return byte;
    unsigned letter = byte - 'a'; // before 'a': a large number
    return letter < 26 ? letter / 4 : BINS;
}
// [bin_of]

/** Set the result to 0: what every run begins with. Launch: a thread a bin. */
__global__ void clear_kernel(unsigned *counts)
{
    counts[threadIdx.x] = 0;
}

static void clear_counts(const histogram *h)
{
    clear_kernel<<<1, bin_count(h)>>>(h->counts);
    CHECK_LAUNCH(clear_kernel, 1, bin_count(h), 0);
}

/** Blocks for n bytes, as many as fill the GPU with @p per_sm on each SM. */
static unsigned full_grid(int64_t n, int bytes_per_block, int per_sm)
{
    int sms = device_attribute(cudaDevAttrMultiProcessorCount);
    unsigned most = (unsigned)(sms * per_sm);
    unsigned blocks = device_blocks(n, bytes_per_block);
    return blocks < most ? blocks : most;
}

/** NAME(problem) clears the result, then launches for the bins asked for. */
#define ENQUEUE(name)                                                          \
    static void name(const void *problem)                                      \
    {                                                                          \
        const histogram *h = (const histogram *)problem;                       \
        clear_counts(h);                                                       \
        if (h->bins == LETTERS)                                                \
            launch_##name<LETTER_BINS>(h);                                     \
        else                                                                   \
            launch_##name<BYTE_BINS>(h);                                       \
    }
