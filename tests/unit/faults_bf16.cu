/**
 * @file faults_bf16.cu
 * @brief What faults.cu is for float32: what only bfloat16 can get wrong.
 *
 *     faults_bf16 NAME [--M ...]
 *
 * Without a name it runs itself with each, at sizes for a GPU, and looks at the
 * statuses only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "gemm_bf16.h"

#define BLOCK 16 /**< edge of a block (threads) */

/** How C is rounded; twice: before and after alpha and beta. Or right, but a
 *  factor has few bits, or NaN becomes 0. */
enum ending { ROUNDED, CUT_OFF, TWICE, ALPHA_11, BETA_8, NO_NAN };

/** A kernel, whether it is right, and what it does. */
typedef struct {
    const char *name;
    bool right;
    enum ending end;
    int sum_bits; /**< of the sums; 23: the others are cut off */
    bool b_transposed, pitches_swapped;
    int k_skipped, past; /**< elements written behind each row */
} kernel;

static const kernel kernels[] = {
    {"forward", true, ROUNDED, 24},
    // As a tensor core does: it cuts off where other units round.
    {"cut_off_sums", true, ROUNDED, 23},
    {"cut_off_c", false, CUT_OFF, 24},
    {"rounded_twice", false, TWICE, 24},
    {"alpha_float16", false, ALPHA_11, 24},
    {"beta_bfloat16", false, BETA_8, 24},
    {"nan_lost", false, NO_NAN, 24},
    {"float16_sum", false, ROUNDED, 11},
    {"bfloat16_sum", false, ROUNDED, 8},
    {"b_transposed", false, ROUNDED, 24, true},
    {"pitches_swapped", false, ROUNDED, 24, false, true},
    {"last_k_skipped", false, ROUNDED, 24, false, false, 1},
    {"written_past", false, ROUNDED, 24, false, false, 0, 1},
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

/** Run all. @return status */
static int run_all(const char *program)
{
    int failed = 0;
    for (const char *size : {"--M 37 --N 41 --K 77", "--M 2000 --N 3000",
                             "--M 512 --N 512 --K 65536 --beta 1"}) {
        for (const kernel *k = kernels; k < end; k++) {
            char line[512];
            snprintf(line, sizeof(line),
                     "'%s' %s --warmup 0 --repeats 1 %s >/dev/null 2>&1",
                     program, k->name, size);
            int status = system(line);
            int got = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            bool good = got == (k->right ? EXIT_VERIFIED : EXIT_WRONG);
            printf("%s  %-16s %s: status %d\n", good ? "pass" : "FAIL", k->name,
                   size, got);
            failed += !good;
        }
    }
    return failed ? EXIT_WRONG : EXIT_VERIFIED;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_all(argv[0]);
    chosen = kernels;
    while (chosen < end && strcmp(argv[1], chosen->name) != 0)
        chosen++;
    REQUIRE(chosen < end, "faults_bf16 %s: no such kernel", argv[1]);
    return gemm_bf16_main(argc - 1, argv + 1, "faults_bf16", launch, 80, 0);
}
