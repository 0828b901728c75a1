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
enum fault {
    FORWARD,
    BACKWARD,
    WEIGHTS_BF16,
    SCORES_BF16,
    Q_SCALED_BF16,
    UNSCALED,
    SUMS_BF16,
    LAST_KEY,
    ONE_KEY_MORE,
    ONE_KEY_LESS,
    MAXIMUM_FORGOTTEN,
    PITCH_OF_K,
    HEAD_OF_Q,
    NO_KEY_NAN,
    NAN_LOST,
    WRITTEN_PAST
};
static const char *const names[] = {
    "forward",       "backward",     "weights_bf16",      "scores_bf16",
    "q_scaled_bf16", "unscaled",     "sums_bf16",         "last_key",
    "one_key_more",  "one_key_less", "maximum_forgotten", "pitch_of_k",
    "head_of_q",     "no_key_nan",   "nan_lost",          "written_past"};
static int chosen;

static __device__ float rounded(float x)
{
    return __bfloat162float(__float2bfloat16(x));
}

/** One thread computes a row of O; the maximum is corrected on the way. */
__global__ void faulty_kernel(int is, attention_problem p)
{
    int row = blockIdx.x, head = blockIdx.y, batch = blockIdx.z;
    const bfloat16 *q = p.Q + batch * p.q.batch + head * p.q.head;
    const bfloat16 *k = p.K + batch * p.k.batch +
                        head * (is == HEAD_OF_Q ? p.q.head : p.k.head);
    const bfloat16 *v = p.V + batch * p.v.batch + head * p.v.head;
    bfloat16 *o = p.O + batch * p.o.batch + head * p.o.head;
    q += (int64_t)row * p.q.row;
    o += (int64_t)row * p.o.row;
    float scale = is == UNSCALED ? 1.0f : 1.0f / sqrtf((float)p.D);
    int seen = seen_keys(&p, row) - (is == LAST_KEY);
    if (p.causal)
        seen += (is == ONE_KEY_MORE && seen < p.keys) - (is == ONE_KEY_LESS);

    float most = -INFINITY, weights = 0.0f, sum[128] = {};
    for (int i = 0; i < seen; i++) {
        int key = is == BACKWARD ? seen - 1 - i : i;
        float score = 0.0f;
        for (int d = 0; d < p.D; d++) {
            float a = __bfloat162float(q[d]) * scale;
            if (is == Q_SCALED_BF16)
                a = rounded(a);
            score += a * __bfloat162float(k[(int64_t)key * p.k.row + d]);
        }
        if (is == SCORES_BF16)
            score = rounded(score);
        float old = most;
        most = fmaxf(most, score);
        float factor = is == MAXIMUM_FORGOTTEN && i > 0 ? 1 : expf(old - most);
        float weight = expf(score - most);
        weights = weights * factor + weight;
        if (is == WEIGHTS_BF16)
            weight = rounded(weight);
        int pitch = is == PITCH_OF_K ? p.k.row : p.v.row;
        for (int d = 0; d < p.D; d++) {
            sum[d] = sum[d] * factor +
                     weight * __bfloat162float(v[(int64_t)key * pitch + d]);
            if (is == SUMS_BF16)
                sum[d] = rounded(sum[d]);
        }
    }
    for (int d = 0; d < p.D + (is == WRITTEN_PAST); d++) {
        float x = weights == 0.0f && is != NO_KEY_NAN ? 0 : sum[d] / weights;
        if (is == NAN_LOST && isnan(x))
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
