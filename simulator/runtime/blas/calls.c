/**
 * @file calls.c
 * @brief The functions of cublas_v2.h: check arguments, fill in an operation.
 *
 * What cuBLAS only calls an invalid value is a note that names it.
 */
#include "blas.h"

#include <stdio.h>
#include <stdlib.h>

#include "../core/caller.h"
#include "../core/findings.h"
#include "../core/text.h"

/* ---- handles ------------------------------------------------------------- */

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    free(handle);
    return cudaDeviceSynchronize() ? CUBLAS_STATUS_EXECUTION_FAILED
                                   : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version)
{
    (void)handle;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

/** What can be set and asked for: Name, type, member of the handle. */
#define PROPERTY(Name, type, member)                                           \
    cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value)          \
    {                                                                          \
        if (!handle)                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                              \
        handle->member = value;                                                \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }                                                                          \
    cublasStatus_t cublasGet##Name(cublasHandle_t handle, type *value)         \
    {                                                                          \
        if (!handle)                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                              \
        *value = handle->member;                                               \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }

PROPERTY(Stream, cudaStream_t, stream)
PROPERTY(PointerMode, cublasPointerMode_t, pointers)
PROPERTY(MathMode, cublasMath_t, math)

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t bytes)
{
    (void)workspace; /* nothing here needs any */
    (void)bytes;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define X(name, number, text)                                                  \
    case name:                                                                 \
        return #name;
        SIM_CUBLAS_STATUS(X)
#undef X
    }
    return "unknown status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
#define X(name, number, text)                                                  \
    case name:                                                                 \
        return text;
        SIM_CUBLAS_STATUS(X)
#undef X
    }
    return "unknown status";
}

/* ---- checks of arguments ------------------------------------------------- */

/** Say what is wrong with a call. */
static cublasStatus_t invalid(const char *text)
{
    sim_finding("cublas-argument-note", sim_caller(), text);
    return CUBLAS_STATUS_INVALID_VALUE;
}

/** Are there as many rows as the ld of a matrix has room for? */
static cublasStatus_t check(const sim_operation *o, const sim_matrix *x)
{
    if (x->rows < 0 || x->cols < 0)
        return invalid(sim_format("%s: %s would be %lld x %lld", o->name,
                                  x->name, (long long)x->rows,
                                  (long long)x->cols));
    if (x->ld < x->rows && (x->rows > 1 || !x->ld)) /* a vector's may be -1 */
        return invalid(sim_format(
            "%s: the columns of %s have %lld elements\n"
            "so its ld, the distance of columns, cannot be %lld. An array that "
            "lies by rows is its transpose here, which CUBLAS_OP_T turns",
            o->name, x->name, (long long)x->rows, (long long)x->ld));
    return CUBLAS_STATUS_SUCCESS;
}

/** Fill in a factor: known now, or when the operation is done. */
static sim_scalar factor(const sim_operation *o, cudaDataType type,
                         const void *data)
{
    if (o->handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
        return (sim_scalar){type, 1.0, data};
    return (sim_scalar){type, sim_element(type, data, 0), NULL};
}

/** Check and do it; a factor that is NULL is 1. */
static cublasStatus_t call(sim_operation *o, cudaDataType type,
                           const void *alpha, const void *beta)
{
    if (!o->handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const sim_matrix *all[] = {&o->A, &o->B, &o->C};
    for (int i = 0; i < 3; i++) {
        cublasStatus_t status = check(o, all[i]);
        if (status)
            return status;
    }
    if (o->depth < 0 || o->batches < 0)
        return invalid(
            sim_format("%s: a negative number of elements", o->name));
    o->alpha = (sim_scalar){type, 1.0, NULL};
    o->beta = (sim_scalar){type, 1.0, NULL};
    if (alpha)
        o->alpha = factor(o, type, alpha);
    if (beta)
        o->beta = factor(o, type, beta);
    return sim_blas(o);
}

/** A vector: one row. */
static sim_matrix vector(const char *name, const void *data, cudaDataType type,
                         int64_t n, int64_t inc, sim_reads reads)
{
    int64_t bytes = (int64_t)sim_element_bytes(type);
    char *first = (char *)data + (inc < 0 ? (1 - n) * inc * bytes : 0);
    return (sim_matrix){name, first, type, 1, n, inc, 0, false, reads};
}

/** A matrix of which op() has so many rows and columns. */
static sim_matrix matrix(const char *name, const void *data, cudaDataType type,
                         cublasOperation_t op, int64_t rows, int64_t cols,
                         int64_t ld, sim_reads reads)
{
    bool turned = op != CUBLAS_OP_N;
    return (sim_matrix){.name = name,
                        .data = (char *)data,
                        .type = type,
                        .rows = turned ? cols : rows,
                        .cols = turned ? rows : cols,
                        .ld = ld,
                        .transposed = turned,
                        .reads = reads};
}

/* ---- for float and double ------------------------------------------------ */

/** A number of a vector, or of two. */
static cublasStatus_t reduce(const char *name, cublasHandle_t handle,
                             sim_compute_fn compute, cudaDataType type, int n,
                             const void *x, int incx, const void *y, int incy,
                             void *result, cudaDataType result_type)
{
    sim_operation o = {.name = name, .handle = handle, .compute = compute};
    o.A = vector("x", x, type, n > 0 ? n : 0, incx, READ_ALWAYS);
    if (y)
        o.B = vector("y", y, type, o.A.cols, incy, READ_ALWAYS);
    if (handle && handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
        o.C = vector("its result", result, result_type, 1, 1, READ_NEVER);
    o.result = result;
    o.batches = 1;
    return call(&o, type, NULL, NULL);
}

/** C = alpha op(A) + beta op(B). */
static cublasStatus_t add(const char *name, cublasHandle_t handle,
                          cudaDataType type, const void *alpha, sim_matrix A,
                          const void *beta, sim_matrix B, sim_matrix C)
{
    sim_operation o = {.name = name, .handle = handle, .A = A, .B = B, .C = C};
    o.compute = sim_blas_add;
    o.batches = 1;
    return call(&o, type, alpha, beta);
}

/** C = alpha op(A) op(B) + beta C. */
static cublasStatus_t multiply(const char *name, cublasHandle_t handle,
                               cudaDataType type, const void *alpha,
                               sim_matrix A, sim_matrix B, const void *beta,
                               sim_matrix C, int64_t depth)
{
    sim_operation o = {.name = name, .handle = handle, .A = A, .B = B, .C = C};
    o.compute = sim_blas_multiply;
    o.depth = depth;
    o.batches = 1;
    return call(&o, type, alpha, beta);
}

/* A row of y is x A, where A lies the other way round than in y = A x. */
#define OF(T, L, l, TYPE)                                                      \
    cublasStatus_t cublasI##l##amax(cublasHandle_t handle, int n, const T *x,  \
                                    int incx, int *result)                     \
    {                                                                          \
        return reduce(__func__, handle, sim_blas_amax, TYPE, n, x, incx, NULL, \
                      0, result, CUDA_R_32I);                                  \
    }                                                                          \
    cublasStatus_t cublas##L##asum(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, T *result)                        \
    {                                                                          \
        return reduce(__func__, handle, sim_blas_asum, TYPE, n, x, incx, NULL, \
                      0, result, TYPE);                                        \
    }                                                                          \
    cublasStatus_t cublas##L##nrm2(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, T *result)                        \
    {                                                                          \
        return reduce(__func__, handle, sim_blas_nrm2, TYPE, n, x, incx, NULL, \
                      0, result, TYPE);                                        \
    }                                                                          \
    cublasStatus_t cublas##L##dot(cublasHandle_t handle, int n, const T *x,    \
                                  int incx, const T *y, int incy, T *result)   \
    {                                                                          \
        return reduce(__func__, handle, sim_blas_dot, TYPE, n, x, incx, y,     \
                      incy, result, TYPE);                                     \
    }                                                                          \
    cublasStatus_t cublas##L##scal(cublasHandle_t handle, int n,               \
                                   const T *alpha, T *x, int incx)             \
    {                                                                          \
        return add(__func__, handle, TYPE, alpha,                              \
                   vector("x", x, TYPE, n, incx, READ_ALWAYS), NULL, NONE,     \
                   vector("x", x, TYPE, n, incx, READ_NEVER));                 \
    }                                                                          \
    cublasStatus_t cublas##L##copy(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, T *y, int incy)                   \
    {                                                                          \
        return add(__func__, handle, TYPE, NULL,                               \
                   vector("x", x, TYPE, n, incx, READ_ALWAYS), NULL, NONE,     \
                   vector("y", y, TYPE, n, incy, READ_NEVER));                 \
    }                                                                          \
    cublasStatus_t cublas##L##axpy(cublasHandle_t handle, int n,               \
                                   const T *alpha, const T *x, int incx, T *y, \
                                   int incy)                                   \
    {                                                                          \
        return add(__func__, handle, TYPE, alpha,                              \
                   vector("x", x, TYPE, n, incx, READ_WITH_ALPHA), NULL,       \
                   vector("y", y, TYPE, n, incy, READ_ALWAYS),                 \
                   vector("y", y, TYPE, n, incy, READ_NEVER));                 \
    }                                                                          \
    cublasStatus_t cublas##L##ger(cublasHandle_t handle, int m, int n,         \
                                  const T *alpha, const T *x, int incx,        \
                                  const T *y, int incy, T *A, int lda)         \
    {                                                                          \
        sim_matrix column = vector("x", x, TYPE, m, incx, READ_WITH_ALPHA);    \
        column.transposed = true;                                              \
        return multiply(                                                       \
            __func__, handle, TYPE, alpha, column,                             \
            vector("y", y, TYPE, n, incy, READ_WITH_ALPHA), NULL,              \
            matrix("A", A, TYPE, CUBLAS_OP_N, m, n, lda, READ_WITH_BETA), 1);  \
    }                                                                          \
    cublasStatus_t cublas##L##gemv(                                            \
        cublasHandle_t handle, cublasOperation_t op, int m, int n,             \
        const T *alpha, const T *A, int lda, const T *x, int incx,             \
        const T *beta, T *y, int incy)                                         \
    {                                                                          \
        int inner = op == CUBLAS_OP_N ? n : m;                                 \
        int outer = op == CUBLAS_OP_N ? m : n;                                 \
        sim_matrix turned =                                                    \
            matrix("A", A, TYPE, CUBLAS_OP_N, m, n, lda, READ_WITH_ALPHA);     \
        turned.transposed = op == CUBLAS_OP_N;                                 \
        return multiply(                                                       \
            __func__, handle, TYPE, alpha,                                     \
            vector("x", x, TYPE, inner, incx, READ_WITH_ALPHA), turned, beta,  \
            vector("y", y, TYPE, outer, incy, READ_WITH_BETA), inner);         \
    }                                                                          \
    cublasStatus_t cublas##L##geam(                                            \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, const T *alpha, const T *A, int lda, const T *beta,      \
        const T *B, int ldb, T *C, int ldc)                                    \
    {                                                                          \
        return add(__func__, handle, TYPE, alpha,                              \
                   matrix("A", A, TYPE, opA, m, n, lda, READ_WITH_ALPHA),      \
                   beta, matrix("B", B, TYPE, opB, m, n, ldb, READ_WITH_BETA), \
                   matrix("C", C, TYPE, CUBLAS_OP_N, m, n, ldc, READ_NEVER));  \
    }

#define NONE ((sim_matrix){0})
OF(float, S, s, CUDA_R_32F)
OF(double, D, d, CUDA_R_64F)

/* ---- products of matrices ------------------------------------------------ */

/** Which types may be multiplied, in what, and of what type are the factors? */
static const struct {
    cudaDataType A, C;
    cublasComputeType_t compute;
    cudaDataType factors;
} known[] = {
    {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F},
    {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F},
    {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I},
};

/** Multiply a batch; strides are set in A, B and C. */
static cublasStatus_t gemm(const char *name, cublasHandle_t handle,
                           const void *alpha, sim_matrix A, sim_matrix B,
                           const void *beta, sim_matrix C, int k, int batches,
                           cublasComputeType_t compute)
{
    sim_operation o = {.name = name, .handle = handle, .A = A, .B = B, .C = C};
    bool fast = compute >= CUBLAS_COMPUTE_32F_FAST_16F;
    int math = handle ? handle->math & 3 : 0;
    if (fast)
        compute = CUBLAS_COMPUTE_32F;
    else
        compute &= ~1; /* without _PEDANTIC */
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!alpha || !beta)
        return invalid(sim_format("%s: alpha or beta is NULL", name));
    o.compute = sim_blas_multiply;
    o.depth = k;
    o.batches = batches;
    o.tf32 = A.type == CUDA_R_32F && (fast || math == CUBLAS_TENSOR_OP_MATH ||
                                      math == CUBLAS_TF32_TENSOR_OP_MATH);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].A == A.type && known[i].A == B.type &&
            known[i].C == C.type && known[i].compute == compute)
            return call(&o, known[i].factors, alpha, beta);
    sim_finding(
        "cublas-argument-note", sim_caller(),
        sim_format("%s: these types are not multiplied in this one", name));
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

/** op(A) or op(B) of a batch, or C. */
static sim_matrix many(const char *name, const void *data, cudaDataType type,
                       cublasOperation_t op, int rows, int cols, int ld,
                       long long stride, sim_reads reads)
{
    sim_matrix x = matrix(name, data, type, op, rows, cols, ld, reads);
    x.stride = stride;
    return x;
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
    long long strideA, const void *B, cudaDataType typeB, int ldb,
    long long strideB, const void *beta, void *C, cudaDataType typeC, int ldc,
    long long strideC, int batches, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return gemm(
        __func__, handle, alpha,
        many("A", A, typeA, opA, m, k, lda, strideA, READ_WITH_ALPHA),
        many("B", B, typeB, opB, k, n, ldb, strideB, READ_WITH_ALPHA), beta,
        many("C", C, typeC, CUBLAS_OP_N, m, n, ldc, strideC, READ_WITH_BETA), k,
        batches, compute);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA,
                            cublasOperation_t opB, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType typeA, int lda, const void *B,
                            cudaDataType typeB, int ldb, const void *beta,
                            void *C, cudaDataType typeC, int ldc,
                            cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return gemm(__func__, handle, alpha,
                many("A", A, typeA, opA, m, k, lda, 0, READ_WITH_ALPHA),
                many("B", B, typeB, opB, k, n, ldb, 0, READ_WITH_ALPHA), beta,
                many("C", C, typeC, CUBLAS_OP_N, m, n, ldc, 0, READ_WITH_BETA),
                k, 1, compute);
}

#define GEMM(T, L, TYPE, COMPUTE)                                              \
    cublasStatus_t cublas##L##gemmStridedBatched(                              \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, int k, const T *alpha, const T *A, int lda,              \
        long long strideA, const T *B, int ldb, long long strideB,             \
        const T *beta, T *C, int ldc, long long strideC, int batches)          \
    {                                                                          \
        return gemm(                                                           \
            __func__, handle, alpha,                                           \
            many("A", A, TYPE, opA, m, k, lda, strideA, READ_WITH_ALPHA),      \
            many("B", B, TYPE, opB, k, n, ldb, strideB, READ_WITH_ALPHA),      \
            beta,                                                              \
            many("C", C, TYPE, CUBLAS_OP_N, m, n, ldc, strideC,                \
                 READ_WITH_BETA),                                              \
            k, batches, COMPUTE);                                              \
    }                                                                          \
    cublasStatus_t cublas##L##gemm(                                            \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, int k, const T *alpha, const T *A, int lda, const T *B,  \
        int ldb, const T *beta, T *C, int ldc)                                 \
    {                                                                          \
        return gemm(                                                           \
            __func__, handle, alpha,                                           \
            many("A", A, TYPE, opA, m, k, lda, 0, READ_WITH_ALPHA),            \
            many("B", B, TYPE, opB, k, n, ldb, 0, READ_WITH_ALPHA), beta,      \
            many("C", C, TYPE, CUBLAS_OP_N, m, n, ldc, 0, READ_WITH_BETA), k,  \
            1, COMPUTE);                                                       \
    }

GEMM(float, S, CUDA_R_32F, CUBLAS_COMPUTE_32F)
GEMM(double, D, CUDA_R_64F, CUBLAS_COMPUTE_64F)
GEMM(struct __half, H, CUDA_R_16F, CUBLAS_COMPUTE_16F)

/* ---- copies -------------------------------------------------------------- */

static cublasStatus_t copied(cudaError_t error)
{
    return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *host,
                               int host_ld, void *device, int device_ld)
{
    if (rows < 0 || cols < 0 || bytes <= 0 || host_ld <= 0 || device_ld <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    size_t size = (size_t)bytes;
    return copied(cudaMemcpy2D(device, (size_t)device_ld * size, host,
                               (size_t)host_ld * size, (size_t)rows * size,
                               (size_t)cols, cudaMemcpyHostToDevice));
}

cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes,
                               const void *device, int device_ld, void *host,
                               int host_ld)
{
    if (rows < 0 || cols < 0 || bytes <= 0 || host_ld <= 0 || device_ld <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    size_t size = (size_t)bytes;
    return copied(cudaMemcpy2D(host, (size_t)host_ld * size, device,
                               (size_t)device_ld * size, (size_t)rows * size,
                               (size_t)cols, cudaMemcpyDeviceToHost));
}

cublasStatus_t cublasSetVector(int n, int bytes, const void *host, int host_inc,
                               void *device, int device_inc)
{
    return cublasSetMatrix(1, n, bytes, host, host_inc, device, device_inc);
}

cublasStatus_t cublasGetVector(int n, int bytes, const void *device,
                               int device_inc, void *host, int host_inc)
{
    return cublasGetMatrix(1, n, bytes, device, device_inc, host, host_inc);
}
