/**
 * @file attention.h
 * @brief The problem of the attention chapters: bfloat16 in and out.
 *
 * O = softmax(Q K^T / sqrt(D)) V for each head of each batch. Q and O have S
 * rows of D elements, K and V as many rows as there are keys. A row of Q has a
 * score with each key that it sees: its product with that row of K over
 * sqrt(D). softmax() makes weights of the scores of a row, which are positive
 * and add up to 1, and the row of O is the mean of the rows of V with them.
 *
 * With `--causal 1` a row sees only keys up to its own place, counted from the
 * end: row S - 1 sees all of them, row S - 2 all but the last one, and so on. A
 * row that sees no key, where there are fewer keys than rows, is zeros.
 *
 * Verified are scores that single out one to four keys, so that O is the mean
 * of their rows of V, a whole number, and must be equal; then random data of
 * four kinds, within the bound of internal.h.
 */
#ifndef ATTENTION_H
#define ATTENTION_H

#include "gemm_bf16.h"

/** What lies between neighbours in Q, K, V or O (elements). */
typedef struct {
    int64_t batch; /**< from batch to batch */
    int64_t head;  /**< from head to head */
    int row;       /**< from row to row, a multiple of 8 */
} strides;

/** One problem. */
typedef struct {
    int B;             /**< batches */
    int H;             /**< heads of each batch */
    int S;             /**< rows of Q and O */
    int keys;          /**< rows of K and V */
    int D;             /**< columns of all four: 64 or 128 */
    int causal;        /**< 1: see above */
    const bfloat16 *Q; /**< [B, H, S, D], device, 16-byte aligned rows */
    const bfloat16 *K; /**< [B, H, keys, D], likewise */
    const bfloat16 *V; /**< [B, H, keys, D], likewise */
    bfloat16 *O;   /**< [B, H, S, D], likewise; its padding keeps its bits */
    float *scores; /**< [B, H, S, keys], scratch, for a chapter that asks */
    int pitch;     /**< from row to row of scores, a multiple of 4 */
    strides q;     /**< of Q; those of the others differ with --pad */
    strides k;     /**< of K */
    strides v;     /**< of V */
    strides o;     /**< of O */
    int layout;    /**< --layout, which the strides hold already */
    int pad;       /**< --pad, likewise */
} attention_problem;

/** How many keys row @p row of Q sees, from the first one on. */
static inline HOST_DEVICE int seen_keys(const attention_problem *p, int row)
{
    int seen = p->keys + (p->causal ? row + 1 - p->S : 0);
    return seen > 0 ? seen : 0;
}

#ifdef __cplusplus
extern "C" {
#endif

/** Enqueues attention on the device; must not wait for it. */
typedef void (*launch_attention_fn)(const attention_problem *p);

/**
 * All that an attention chapter does around its kernel, as gemm_main(): timed
 * beside cublasGemmStridedBatchedEx and a softmax of ours between two of them.
 *
 * @param least,most  compute capabilities, as for gemm_bf16_main()
 */
int attention_main(int argc, char **argv, const char *chapter,
                   launch_attention_fn launch, int least, int most);

/** The same, and the problem has memory for all scores. */
int attention_scores_main(int argc, char **argv, const char *chapter,
                          launch_attention_fn launch, int least, int most);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
/** Where the head of this block begins: blockIdx.y, of batch blockIdx.z. */
template <class T>
static __device__ inline T *head_of(T *x, const strides &s)
{
    return x + blockIdx.z * s.batch + blockIdx.y * s.head;
}

/** The largest, or the sum, of what the 4 lanes of a fragment's row have. */
static __device__ inline float max_of_4_lanes(float x)
{
    x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
    return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
static __device__ inline float sum_of_4_lanes(float x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}
#endif

#endif
