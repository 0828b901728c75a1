/**
 * @file attention_kernels.cu
 * @brief What attention should have computed, on a GPU in float64; and the
 * softmax that goes between two products of cuBLAS.
 *
 * Not a lesson in speed.
 */
#include "internal.h"

#define THREADS 128 /**< of a block; as many as columns of O at most */

/** Sum, or the largest, of what each thread of a block has. */
template <bool SUM>
static __device__ double of_all(double x)
{
    __shared__ double all[THREADS];
    __syncthreads(); // the last call has read them
    all[threadIdx.x] = x;
    __syncthreads(); // all are there
    for (int i = 0; i < THREADS; i++)
        if (i != (int)threadIdx.x)
            x = SUM ? x + all[i] : fmax(x, all[i]);
    return x;
}

/** What a row of Q has with a key: the score, the product of their norms. */
typedef struct {
    double z, norms;
} score;

static __device__ score score_of(const attention_problem &p, const double *q,
                                 const bfloat16 *k)
{
    double qk = 0.0, qq = 0.0, kk = 0.0;
    for (int d = 0; d < p.D; d += 8) {
        uint4 eight = *(const uint4 *)(k + d);
        const bfloat16 *part = (const bfloat16 *)&eight;
        for (int i = 0; i < 8; i++) {
            double a = q[d + i], b = __bfloat162float(part[i]);
            qk += a * b;
            qq += a * a;
            kk += b * b;
        }
    }
    return {qk / sqrt((double)p.D), sqrt(qq * kk / p.D)};
}

/**
 * A block computes a row of O: its threads share the keys, then the columns.
 *
 * Launch: block THREADS, grid (rows of the band, heads beside each other).
 */
static __global__ void reference_kernel(attention_problem p, band b, bool exact,
                                        double *want, double *bound)
{
    __shared__ double q[THREADS], weight[THREADS];
    int64_t outer = (b.row + blockIdx.x) / p.S;
    int64_t inner = b.col / p.D + blockIdx.y; // of heads in a row
    int64_t head = p.layout ? inner : outer % p.H;
    int64_t batch = p.layout ? outer : outer / p.H;
    int row = (int)((b.row + blockIdx.x) % p.S), d = threadIdx.x;
    const bfloat16 *k = p.K + batch * p.k.batch + head * p.k.head;
    const bfloat16 *v = p.V + batch * p.v.batch + head * p.v.head + d;
    if (d < p.D)
        q[d] = __bfloat162float(p.Q[batch * p.q.batch + head * p.q.head +
                                    (int64_t)row * p.q.row + d]);
    __syncthreads(); // all of the row is there

    int seen = seen_keys(&p, row);
    double most = -INFINITY, largest = 0.0, norms = 0.0;
    for (int j = threadIdx.x; j < seen; j += THREADS) {
        score one = score_of(p, q, k + (int64_t)j * p.k.row);
        most = fmax(most, one.z);
        largest = fmax(largest, fabs(one.z));
        norms = fmax(norms, one.norms);
    }
    most = of_all<false>(most);
    largest = of_all<false>(largest);
    norms = of_all<false>(norms);

    double weights = 0.0, sum = 0.0, size = 0.0;
    for (int first = 0; first < seen; first += THREADS) {
        int j = first + threadIdx.x, many = min(THREADS, seen - first);
        weight[threadIdx.x] =
            j < seen ? exp(score_of(p, q, k + (int64_t)j * p.k.row).z - most)
                     : 0.0;
        weights += weight[threadIdx.x];
        __syncthreads(); // the weights of these keys are there
        for (int i = 0; i < many && d < p.D; i++) {
            double pv =
                weight[i] * __bfloat162float(v[(int64_t)(first + i) * p.v.row]);
            sum += pv;
            size += fabs(pv);
        }
        __syncthreads(); // everyone has finished reading
    }
    weights = of_all<true>(weights);
    int64_t at = blockIdx.x * b.cols + blockIdx.y * p.D + d;
    if (d < p.D)
        reference_mean(&p, largest, norms, weights, sum, size, exact, &want[at],
                       &bound[at]);
}

void reference_attention_gpu(const attention_problem *p, const band *b,
                             bool exact, double *want, double *bound)
{
    dim3 grid((unsigned)b->rows, (unsigned)(b->cols / p->D));
    reference_kernel<<<grid, THREADS>>>(*p, *b, exact, want, bound);
    // Not CHECK_LAUNCH: messages name the chapter's kernel.
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
}

/* ---- the library --------------------------------------------------------- */

#define ROW_THREADS 256 /**< of a block, which has a row of scores */

/** Launch: block ROW_THREADS, grid (S, H). */
static __global__ void softmax_kernel(attention_problem p, int pitch,
                                      const float *scores, bfloat16 *weights)
{
    __shared__ float parts[ROW_THREADS / 32];
    int64_t row = (int64_t)blockIdx.y * p.S + blockIdx.x;
    int seen = seen_keys(&p, blockIdx.x), lane = threadIdx.x % 32;
    scores += row * pitch;
    weights += row * pitch;
    float most = -INFINITY, sum = 0.0f;
    for (int j = threadIdx.x; j < seen; j += ROW_THREADS)
        most = fmaxf(most, scores[j]);
    for (int lanes = 16; lanes > 0; lanes /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, lanes));
    if (lane == 0)
        parts[threadIdx.x / 32] = most;
    __syncthreads(); // the largest of each warp is there
    for (int i = 0; i < ROW_THREADS / 32; i++)
        most = fmaxf(most, parts[i]);
    for (int j = threadIdx.x; j < seen; j += ROW_THREADS)
        sum += expf(scores[j] - most);
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_xor_sync(~0u, sum, lanes);
    __syncthreads(); // everyone has read the parts
    if (lane == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads(); // the sum of each warp is there
    sum = 0.0f;
    for (int i = 0; i < ROW_THREADS / 32; i++)
        sum += parts[i];
    for (int j = threadIdx.x; j < p.keys; j += ROW_THREADS)
        weights[j] =
            __float2bfloat16(j < seen ? expf(scores[j] - most) / sum : 0.0f);
}

void baseline_softmax(const attention_problem *p, int pitch,
                      const float *scores, bfloat16 *weights)
{
    softmax_kernel<<<dim3(p->S, p->H), ROW_THREADS, 0, cudaStreamPerThread>>>(
        *p, pitch, scores, weights);
    CUDA_CHECK(cudaGetLastError());
}
