/**
 * @file library.cuh
 * @brief The same product by cublasGemmEx. GPU builds only.
 */

#if !SIMULATED

#include "cublas.cuh"

#ifdef CUBLAS_VERSION

/** What NVIDIA recommends for Hopper. */
#define WORKSPACE_BYTES ((size_t)32 << 20)

static void *workspace;

static const char *gemm_open(void)
{
    if (problem.ldb > INT32_MAX || problem.ldc > INT32_MAX)
        return "its sizes are int";
    const char *why = cublas_open();
    if (why)
        return why;
    workspace = device_alloc(WORKSPACE_BYTES);
    // After the stream, which resets it. Without one of ours a captured call
    // would put an allocation into the graph.
    check(cublasSetWorkspace(cublas, workspace, WORKSPACE_BYTES),
          "cublasSetWorkspace");
    return NULL;
}

/** cuBLAS is column-major: C^T = B^T A^T, so B goes first. */
static void gemm_enqueue(const void *problem)
{
    const product *p = (const product *)problem;
    float one = 1, zero = 0;
    check(cublasGemmEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, p->N, p->M, p->K, &one,
                       p->B, CUDA_R_16F, (int)p->ldb, p->A, CUDA_R_16F,
                       (int)p->lda, &zero, p->C, CUDA_R_32F, (int)p->ldc,
                       CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
}

static void gemm_close(void)
{
    cublas_close();
    device_free(workspace);
}

#endif

static const variant libraries[] = {
#ifdef CUBLAS_VERSION
    {"cublasGemmEx", "cuBLAS", gemm_enqueue, gemm_open, gemm_close},
#else
    {"cublasGemmEx"},
#endif
};

#endif
