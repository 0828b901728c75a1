/**
 * @file baseline_cublas.c
 *
 * Compiled with -DWITHOUT_CUBLAS, or where its header is missing, the run goes
 * on without a baseline.
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#if !defined(WITHOUT_CUBLAS) && defined(__has_include)
#if __has_include(<cublasLt.h>)
#define HAVE_CUBLAS
#endif
#endif

#ifdef HAVE_CUBLAS

#include <cublasLt.h>
#include <cublas_v2.h>

#define ALGORITHMS 2 /**< of cublasLt's heuristic */

static cublasHandle_t handle;
static void *workspace;
static size_t workspace_bytes;
static int users;

static void check(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", what, cublasGetStatusString(status));
    exit(EXIT_WRONG);
}

static const char *open_library(size_t bytes, cublasMath_t mode)
{
    if (users == 0 && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return "it cannot be initialised";
    if (users++ > 0)
        return NULL;
    workspace = device_alloc(workspace_bytes = bytes);
    check(cublasSetStream(handle, cudaStreamPerThread), "cublasSetStream");
    // After the stream, which resets it. Without one of ours a captured call
    // would put an allocation into the graph.
    check(cublasSetWorkspace(handle, workspace, bytes), "cublasSetWorkspace");
    check(cublasSetMathMode(handle, mode), "cublasSetMathMode");
    return NULL;
}

const char *baseline_cublas_open(void)
{
    // 32 MiB: what NVIDIA recommends for Hopper; 4 MiB do for older GPUs.
    // Float32 throughout, no TF32.
    return open_library((size_t)32 << 20, CUBLAS_PEDANTIC_MATH);
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

/* ---- bfloat16 ------------------------------------------------------------ */

const char *baseline_bf16_open(void)
{
    return open_library((size_t)64 << 20, CUBLAS_DEFAULT_MATH);
}

/** What cublasLt wants to know of one problem. */
static struct {
    gemm_bf16_problem p; /**< M 0: of none yet */
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t A, B, C;
    cublasLtMatmulHeuristicResult_t found[ALGORITHMS];
    int count; /**< entries in found */
} lt;

static void gemm_ex(const gemm_bf16_problem *p)
{
    check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->N, p->M, p->K,
                       &p->alpha, p->B, CUDA_R_16BF, p->ldb, p->A, CUDA_R_16BF,
                       p->lda, &p->beta, p->C, CUDA_R_16BF, p->ldc,
                       CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
    if (p->bias)
        baseline_gelu(p);
}

/** Forget a problem. */
static void forget(void)
{
    if (!lt.p.M)
        return;
    cublasLtMatmulDescDestroy(lt.product);
    cublasLtMatrixLayoutDestroy(lt.A);
    cublasLtMatrixLayoutDestroy(lt.B);
    cublasLtMatrixLayoutDestroy(lt.C);
    lt.p.M = 0;
}

static void set(cublasLtMatmulDescAttributes_t what, const void *value,
                size_t bytes)
{
    check(cublasLtMatmulDescSetAttribute(lt.product, what, value, bytes),
          "cublasLtMatmulDescSetAttribute");
}

/** Describe a problem to cublasLt and ask its heuristic, once. A bias is one of
 *  a column of C, a row of what cublasLt sees. */
static void describe(const gemm_bf16_problem *p)
{
    const gemm_bf16_problem *q = &lt.p;
    if (p->M == q->M && p->N == q->N && p->K == q->K && p->lda == q->lda &&
        p->ldb == q->ldb && p->ldc == q->ldc && p->beta == q->beta &&
        !p->bias == !q->bias)
        return;
    forget();
    lt.p = *p;
    check(cublasLtMatmulDescCreate(&lt.product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
          "cublasLtMatmulDescCreate");
    if (p->bias) {
        cublasLtEpilogue_t gelu = CUBLASLT_EPILOGUE_GELU_BIAS;
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, &gelu, sizeof(gelu));
        cudaDataType_t type = CUDA_R_16BF;
        set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &type, sizeof(type));
        set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p->bias, sizeof(p->bias));
    }
    const char *what = "cublasLtMatrixLayoutCreate";
    uint64_t m = (uint64_t)p->M, n = (uint64_t)p->N, k = (uint64_t)p->K;
    check(cublasLtMatrixLayoutCreate(&lt.B, CUDA_R_16BF, n, k, p->ldb), what);
    check(cublasLtMatrixLayoutCreate(&lt.A, CUDA_R_16BF, k, m, p->lda), what);
    check(cublasLtMatrixLayoutCreate(&lt.C, CUDA_R_16BF, n, m, p->ldc), what);
    cublasLtMatmulPreference_t wish;
    check(cublasLtMatmulPreferenceCreate(&wish),
          "cublasLtMatmulPreferenceCreate");
    check(cublasLtMatmulPreferenceSetAttribute(
              wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
              sizeof(workspace_bytes)),
          "cublasLtMatmulPreferenceSetAttribute");
    check(cublasLtMatmulAlgoGetHeuristic((cublasLtHandle_t)handle, lt.product,
                                         lt.B, lt.A, lt.C, lt.C, wish,
                                         ALGORITHMS, lt.found, &lt.count),
          "cublasLtMatmulAlgoGetHeuristic");
    cublasLtMatmulPreferenceDestroy(wish);
}

void baseline_bf16_launch(const gemm_bf16_problem *p, int which)
{
    if (which >= 0)
        describe(p);
    if (which < 0 || which >= lt.count) {
        gemm_ex(p);
        return;
    }
    if (p->bias) // of this copy of the data
        set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p->bias, sizeof(p->bias));
    check(cublasLtMatmul((cublasLtHandle_t)handle, lt.product, &p->alpha, p->B,
                         lt.B, p->A, lt.A, &p->beta, p->C, lt.C, p->C, lt.C,
                         &lt.found[which].algo, workspace, workspace_bytes,
                         cudaStreamPerThread),
          "cublasLtMatmul");
}

void baseline_cublas_close(void)
{
    if (--users > 0)
        return;
    forget();
    check(cublasDestroy(handle), "cublasDestroy");
    device_free(workspace);
}

/* ---- attention ----------------------------------------------------------- */

/** All scores of a batch in float32, and their weights. */
static struct {
    int pitch; /**< a multiple of 16 bytes of weights */
    float *scores;
    bfloat16 *weights;
} between;

const char *baseline_attention_open(const attention_problem *p)
{
    size_t pitch = ((size_t)p->keys + 7) / 8 * 8, free_bytes, all_bytes;
    size_t count = (size_t)p->H * (size_t)p->S * pitch;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (6 * count > free_bytes / 2)
        return "its scores take too much memory";
    between.pitch = (int)pitch;
    between.scores = device_alloc(4 * count);
    between.weights = device_alloc(2 * count);
    return baseline_bf16_open();
}

/** As many products as heads, D columns or rows each; column-major, so that
 *  what is first here is the right factor of a row-major product. */
static void heads(const attention_problem *p, cublasOperation_t op, int m,
                  int k, float alpha, const bfloat16 *A, strides a,
                  const bfloat16 *B, strides b, void *C, cudaDataType_t type,
                  strides c)
{
    const float zero = 0.0f;
    check(cublasGemmStridedBatchedEx(
              handle, op, CUBLAS_OP_N, m, p->S, k, &alpha, A, CUDA_R_16BF,
              a.row, a.head, B, CUDA_R_16BF, b.row, b.head, &zero, C, type,
              c.row, c.head, p->H, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx");
}

void baseline_attention_launch(const attention_problem *p)
{
    strides all = {.head = (int64_t)p->S * between.pitch, .row = between.pitch};
    for (int i = 0; i < p->B; i++) {
        heads(p, CUBLAS_OP_T, p->keys, p->D, 1.0f / sqrtf((float)p->D),
              p->K + i * p->k.batch, p->k, p->Q + i * p->q.batch, p->q,
              between.scores, CUDA_R_32F, all);
        baseline_softmax(p, between.pitch, between.scores, between.weights);
        heads(p, CUBLAS_OP_N, p->D, p->keys, 1.0f, p->V + i * p->v.batch, p->v,
              between.weights, all, p->O + i * p->o.batch, CUDA_R_16BF, p->o);
    }
}

void baseline_attention_close(void)
{
    device_free(between.scores);
    device_free(between.weights);
    baseline_cublas_close();
}

#else

static const char missing[] = "it is not installed";

const char *baseline_cublas_open(void)
{
    return missing;
}

const char *baseline_bf16_open(void)
{
    return missing;
}

void baseline_cublas_launch(const gemm_problem *p)
{
    (void)p;
}

void baseline_bf16_launch(const gemm_bf16_problem *p, int which)
{
    (void)p, (void)which;
}

void baseline_cublas_close(void)
{
}

const char *baseline_attention_open(const attention_problem *p)
{
    (void)p;
    return missing;
}

void baseline_attention_launch(const attention_problem *p)
{
    (void)p;
}

void baseline_attention_close(void)
{
}

#endif
