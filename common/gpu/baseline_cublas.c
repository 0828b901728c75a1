/**
 * @file baseline_cublas.c
 *
 * Compiled with -DWITHOUT_CUBLAS, or where its header is missing, the run goes
 * on without a baseline.
 */
#include "gpu/baseline_cublas.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "options.h"

#if !defined(WITHOUT_CUBLAS) && defined(__has_include)
#if __has_include(<cublas_v2.h>)
#define HAVE_CUBLAS
#endif
#endif

#ifdef HAVE_CUBLAS

#include <cublas_v2.h>

/** What NVIDIA recommends for Hopper; 4 MiB do for older GPUs. */
#define WORKSPACE_BYTES ((size_t)32 << 20)

static cublasHandle_t handle;
static void *workspace;

static void check(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", what, cublasGetStatusString(status));
    exit(EXIT_WRONG);
}

const char *baseline_cublas_open(void)
{
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return "it cannot be initialised";
    workspace = device_alloc(WORKSPACE_BYTES);
    check(cublasSetStream(handle, cudaStreamPerThread), "cublasSetStream");
    // After the stream, which resets it. Without one of ours a captured call
    // would put an allocation into the graph.
    check(cublasSetWorkspace(handle, workspace, WORKSPACE_BYTES),
          "cublasSetWorkspace");
    // Float32 throughout, no TF32.
    check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    return NULL;
}

/**
 * cuBLAS is column-major. A row-major matrix, read column by column, is its
 * transpose, and C^T = B^T A^T: so B goes first, M and N change places, and
 * no data moves.
 */
// [cublas]
void baseline_cublas_launch(const gemm_problem *p)
{
    check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->N, p->M, p->K,
                      &p->alpha, p->B, p->ldb, p->A, p->lda, &p->beta, p->C,
                      p->ldc),
          "cublasSgemm");
}
// [cublas]

void baseline_cublas_close(void)
{
    check(cublasDestroy(handle), "cublasDestroy");
    device_free(workspace);
}

#else

const char *baseline_cublas_open(void)
{
    return "it is not installed";
}

void baseline_cublas_launch(const gemm_problem *p)
{
    (void)p;
}

void baseline_cublas_close(void)
{
}

#endif
