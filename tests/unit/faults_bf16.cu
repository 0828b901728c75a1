/**
 * @file faults_bf16.cu
 * @brief What faults.cu is for float32: what only bfloat16 can get wrong.
 *
 *     faults_bf16 NAME [--M ...]
 */
#include <math.h>
#include <string.h>

#include "gemm_bf16.h"

#define BLOCK 16 /**< edge of a block (threads) */

/** How C is rounded; twice: before and after alpha and beta. Or right, but a
 *  factor has few bits, or NaN becomes 0. */
enum ending { ROUNDED, CUT_OFF, TWICE, ALPHA_11, BETA_8, NO_NAN };

/** A kernel: what it does. The first two are right. */
typedef struct {
    const char *name;
    enum ending end;
    int sum_bits; /**< of the sums; 23: the others are cut off */
    bool b_transposed, pitches_swapped;
    int k_skipped, past; /**< elements written behind each row */
} kernel;

static const kernel kernels[] = {
    {"forward", ROUNDED, 24},
    // As a tensor core does: it cuts off where other units round.
    {"cut_off_sums", ROUNDED, 23},
    {"cut_off_c", CUT_OFF, 24},
    {"rounded_twice", TWICE, 24},
    {"alpha_float16", ALPHA_11, 24},
    {"beta_bfloat16", BETA_8, 24},
    {"nan_lost", NO_NAN, 24},
    {"float16_sum", ROUNDED, 11},
    {"bfloat16_sum", ROUNDED, 8},
    {"b_transposed", ROUNDED, 24, true},
    {"pitches_swapped", ROUNDED, 24, false, true},
    {"last_k_skipped", ROUNDED, 24, false, false, 1},
    {"written_past", ROUNDED, 24, false, false, 0, 1},
};
static const kernel *const end = kernels + sizeof(kernels) / sizeof(*kernels);
static const kernel *chosen;

/** @p x with @p bits significant bits: the others are cut off. */
static __device__ float cut_off(float x, int bits)
{
    return __uint_as_float(__float_as_uint(x) & ~0u << (24 - bits));
}

/** The same, rounded to nearest, ties to even. */
static __device__ float rounded(float x, int bits)
{
    uint32_t word = __float_as_uint(x);
    uint32_t last = word >> (24 - bits) & 1; // of those that stay
    return cut_off(__uint_as_float(word + (1u << (23 - bits)) - 1 + last),
                   bits);
}

/** One thread computes one element of C. */
__global__ void faulty_kernel(kernel is, gemm_bf16_problem p)
{
    int row = blockIdx.y * BLOCK + threadIdx.y;
    int col = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= p.M || col >= p.N)
        return;
    int ldb = is.pitches_swapped ? p.ldc : p.ldb;
    float sum = 0.0f;
    for (int k = 0; k < p.K - is.k_skipped; k++) {
        int64_t at = (int64_t)k * ldb + col;
        if (is.b_transposed && k < p.N && col < p.K)
            at = (int64_t)col * ldb + k;
        sum += __bfloat162float(p.A[(int64_t)row * p.lda + k]) *
               __bfloat162float(p.B[at]);
        if (is.sum_bits == 23)
            sum = cut_off(sum, 23);
        else if (is.sum_bits < 23)
            sum = rounded(sum, is.sum_bits);
    }
    if (is.end == TWICE)
        sum = rounded(sum, 8);
    bfloat16 *c = p.C + (int64_t)row * p.ldc + col;
    sum *= is.end == ALPHA_11 ? rounded(p.alpha, 11) : p.alpha;
    float beta = is.end == BETA_8 ? rounded(p.beta, 8) : p.beta;
    if (beta != 0.0f)
        sum += beta * __bfloat162float(*c);
    if (is.end == NO_NAN && isnan(sum))
        sum = 0.0f;
    if (is.end == CUT_OFF)
        sum = cut_off(sum, 8);
    *c = __float2bfloat16(sum);
    if (col == p.N - 1)
        for (int i = 1; i <= is.past; i++)
            c[i] = *c;
}

static void launch(const gemm_bf16_problem *p)
{
    dim3 block(BLOCK, BLOCK);
    dim3 grid(ceil_div(p->N, BLOCK), ceil_div(p->M, BLOCK));
    faulty_kernel<<<grid, block>>>(*chosen, *p);
    CHECK_LAUNCH(faulty_kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    chosen = kernels;
    while (argc > 1 && chosen < end && strcmp(argv[1], chosen->name) != 0)
        chosen++;
    REQUIRE(argc > 1 && chosen < end, "faults_bf16: no such kernel");
    return gemm_bf16_main(argc - 1, argv + 1, "faults_bf16", launch, 80, 0);
}
