/**
 * @file faults_attention.cu
 * @brief What faults.cu is for GEMM: attention, right and wrong.
 *
 *     faults_attention NAME [--s ...]
 */
#include <math.h>
#include <string.h>

#include "attention.h"

/** What a kernel does; the first three are right. */
#define FAULTS(X)                                                              \
    X(forward), X(backward), X(weights_bf16), X(scores_bf16),                  \
        X(q_scaled_bf16), X(unscaled), X(sums_bf16), X(last_key),              \
        X(one_key_more), X(one_key_less), X(maximum_forgotten), X(pitch_of_k), \
        X(head_of_q), X(no_key_nan), X(nan_lost), X(written_past)
#define NUMBER(name) name
#define TEXT(name) #name
enum fault { FAULTS(NUMBER) };
static const char *const names[] = {FAULTS(TEXT)};
static int chosen;

static __device__ float rounded(float x)
{
    return __bfloat162float(__float2bfloat16(x));
}

/** One thread computes a row of O; the maximum is corrected on the way. */
__global__ void faulty_kernel(int is, attention_problem p)
{
    int row = blockIdx.x;
    const bfloat16 *q = head_of(p.Q, p.q) + (int64_t)row * p.q.row;
    const bfloat16 *k = head_of(p.K, is == head_of_q ? p.q : p.k);
    const bfloat16 *v = head_of(p.V, p.v);
    bfloat16 *o = head_of(p.O, p.o) + (int64_t)row * p.o.row;
    float scale = is == unscaled ? 1.0f : 1.0f / sqrtf((float)p.D);
    int seen = seen_keys(&p, row) - (is == last_key);
    if (p.causal)
        seen += (is == one_key_more && seen < p.keys) - (is == one_key_less);

    float most = -INFINITY, weights = 0.0f, sum[128] = {};
    for (int i = 0; i < seen; i++) {
        int key = is == backward ? seen - 1 - i : i;
        float score = 0.0f;
        for (int d = 0; d < p.D; d++) {
            float a = __bfloat162float(q[d]) * scale;
            if (is == q_scaled_bf16)
                a = rounded(a);
            score += a * __bfloat162float(k[(int64_t)key * p.k.row + d]);
        }
        if (is == scores_bf16)
            score = rounded(score);
        float old = most;
        most = fmaxf(most, score);
        float factor = is == maximum_forgotten && i > 0 ? 1 : expf(old - most);
        float weight = expf(score - most);
        weights = weights * factor + weight;
        if (is == weights_bf16)
            weight = rounded(weight);
        int pitch = is == pitch_of_k ? p.k.row : p.v.row;
        for (int d = 0; d < p.D; d++) {
            sum[d] = sum[d] * factor +
                     weight * __bfloat162float(v[(int64_t)key * pitch + d]);
            if (is == sums_bf16)
                sum[d] = rounded(sum[d]);
        }
    }
    for (int d = 0; d < p.D + (is == written_past); d++) {
        float x = weights == 0.0f && is != no_key_nan ? 0 : sum[d] / weights;
        if (is == nan_lost && isnan(x))
            x = 0.0f;
        o[d] = __float2bfloat16(x);
    }
}

static void launch(const attention_problem *p)
{
    dim3 grid(p->S, p->H, p->B);
    faulty_kernel<<<grid, 1>>>(chosen, *p);
    CHECK_LAUNCH(faulty_kernel, grid, 1, 0);
}

int main(int argc, char **argv)
{
    int count = sizeof(names) / sizeof(*names);
    while (argc > 1 && chosen < count && strcmp(argv[1], names[chosen]) != 0)
        chosen++;
    REQUIRE(argc > 1 && chosen < count, "faults_attention: no such kernel");
    return attention_main(argc - 1, argv + 1, "faults_attention", launch, 80,
                          0);
}
