/**
 * @file device.cuh
 * @brief Scan: what the kernels share, the operation and an element.
 */

/** What changes nothing: what stands before the first element. */
template <operation OP>
__device__ float identity()
{
    return OP == SUM ? 0.0f : -INFINITY;
}

/** @p a and, after it, @p b. */
template <operation OP>
__device__ float combine(float a, float b)
{
    return OP == SUM ? a + b : fmaxf(a, b);
}

/** x[i], or the identity past the end. */
template <operation OP>
__device__ float element(int64_t n, const float *x, int64_t i)
{
    return i < n ? x[i] : identity<OP>();
}
