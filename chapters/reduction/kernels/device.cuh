/**
 * @file device.cuh
 * @brief Reduction: what the kernels and their launches share.
 */

#define BLOCK 512           /**< threads of a block */
#define SECTION (2 * BLOCK) /**< elements of a section, variants 1 to 4 */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ == 750
#define PER_SM 2 /**< such blocks fill an SM: on Turing two */
#else
#define PER_SM 4
#endif

/* ---- the operation ------------------------------------------------------ */

// [operation]
/** The value that changes no other: it fills the tail of the input. */
template <operation OP>
__device__ float identity()
{
    return OP == SUM ? 0.0f : OP == MIN ? INFINITY : -INFINITY;
}

/** Two values as one. */
template <operation OP>
__device__ float combine(float a, float b)
{
    return OP == SUM ? a + b : OP == MIN ? fminf(a, b) : fmaxf(a, b);
}

/** x[i], or the identity past the end. */
template <operation OP>
__device__ float element(int64_t n, const float *x, int64_t i)
{
    return i < n ? x[i] : identity<OP>();
}
// [operation]

/** *result = *result OP value, as one step that nobody can get between. */
template <operation OP>
__device__ void combine_atomically(float *result, float value)
{
    if (OP == SUM) {
        atomicAdd(result, value);
        return;
    }
    if (isnan(value))
        return; // as fminf() and fmaxf() do: a number wins
    // There is no atomicMin() of floats. But positive floats are in the order
    // of their bits as int, above all negative ones; and negative floats in the
    // reverse order of their bits as unsigned, above all positive ones.
    int bits = __float_as_int(value);
    if (bits >= 0 && OP == MIN)
        atomicMin((int *)result, bits);
    else if (bits >= 0)
        atomicMax((int *)result, bits);
    else if (OP == MIN)
        atomicMax((unsigned *)result, (unsigned)bits);
    else
        atomicMin((unsigned *)result, (unsigned)bits);
}

/* ---- launches ----------------------------------------------------------- */

/** The result begins as the identity. Launch: one thread. */
template <operation OP>
__global__ void identity_kernel(float *result)
{
    *result = identity<OP>();
}

/** A block for each @p per_block elements, at most as many as fit at a time. */
static inline unsigned full_grid(int64_t n, int per_block)
{
    int sms = device_attribute(cudaDevAttrMultiProcessorCount);
    return min(device_blocks(n, per_block), (unsigned)(sms * PER_SM));
}

/** NAME(problem) calls launch_NAME for the operation asked for. */
// [enqueue]
#define ENQUEUE(name)                                                          \
    static void name(const void *problem)                                      \
    {                                                                          \
        const reduction *r = (const reduction *)problem;                       \
        if (r->op == SUM)                                                      \
            launch_##name<SUM>(r);                                             \
        else if (r->op == MIN)                                                 \
            launch_##name<MIN>(r);                                             \
        else                                                                   \
            launch_##name<MAX>(r);                                             \
    }
// [enqueue]
