/**
 * @file library.cu
 * @brief In the place of cuBLAS: a plain kernel, for tests in the simulator.
 *
 * LIBRARY=missing and LIBRARY=wrong in the environment: what they say.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "internal.h"

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
