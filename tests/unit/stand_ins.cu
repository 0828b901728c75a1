/**
 * @file stand_ins.cu
 * @brief In the place of cuBLAS a plain kernel, in the place of the clock what
 *        a test says, so that none depends on how fast a machine is.
 *
 * LIBRARY=missing and LIBRARY=wrong in the environment: what they say.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "internal.h"

/* ---- cudaEventElapsedTime(), as build.mk has common/ call it --------------
 */

extern "C" float sample_ms;
float sample_ms = 0.1f;

/** What sample_ms says, or SAMPLE_MS in the environment of a program. */
extern "C" cudaError_t fake_elapsed_time(float *ms, cudaEvent_t, cudaEvent_t)
{
    const char *text = getenv("SAMPLE_MS");
    *ms = text ? strtof(text, NULL) : sample_ms;
    return cudaSuccess;
}

/* ---- cuBLAS ----------------------------------------------------------------
 */

#define BLOCK 16

static __global__ void library_kernel(gemm_problem p, float error)
{
    int row = blockIdx.y * BLOCK + threadIdx.y;
    int col = blockIdx.x * BLOCK + threadIdx.x;
    if (row >= p.M || col >= p.N)
        return;
    float sum = error;
    for (int k = 0; k < p.K; k++)
        sum += p.A[(int64_t)row * p.lda + k] * p.B[(int64_t)k * p.ldb + col];
    float *c = p.C + (int64_t)row * p.ldc + col;
    *c = p.beta == 0.0f ? p.alpha * sum : p.alpha * sum + p.beta * *c;
}

static bool is_open;

static bool library_is(const char *what)
{
    const char *library = getenv("LIBRARY");
    return library && strcmp(library, what) == 0;
}

const char *baseline_cublas_open(void)
{
    const char *why = library_is("missing") ? "it is not installed"
                      : is_open             ? "it is open already"
                                            : NULL;
    is_open = true;
    return why;
}

void baseline_cublas_launch(const gemm_problem *p)
{
    dim3 block(BLOCK, BLOCK);
    dim3 grid(ceil_div(p->N, BLOCK), ceil_div(p->M, BLOCK));
    library_kernel<<<grid, block>>>(*p, library_is("wrong") ? 1.0f : 0.0f);
}

void baseline_cublas_close(void)
{
    is_open = false;
}

const char *baseline_bf16_open(void)
{
    return "it is not installed";
}

void baseline_bf16_launch(const gemm_bf16_problem *, int)
{
}

const char *baseline_attention_open(const attention_problem *)
{
    return "it is not installed";
}

void baseline_attention_launch(const attention_problem *)
{
}

void baseline_attention_close(void)
{
}
