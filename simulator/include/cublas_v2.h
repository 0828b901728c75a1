/**
 * @file cublas_v2.h
 * @brief The part of cuBLAS that programs compare themselves with.
 *
 * Valid C11 and C++17. Names, numbers and signatures are those of CUDA 13, and
 * so are the rules: matrices lie in device memory by columns, ld is the
 * distance of columns in elements, and where beta is 0 nobody reads C. Of the
 * rest of cuBLAS simcc says by name that it is not here.
 *
 * Unlike a GPU's, results are calculated in double, those of dot, asum and
 * nrm2 in long double, and rounded to their type at the end.
 */
#ifndef CUBLAS_V2_H
#define CUBLAS_V2_H

#include "cuda_runtime_api.h"
#include "library_types.h"

#include <stdint.h>
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
extern "C" {
#endif

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 130000

/* ---- enumerators --------------------------------------------------------- */

/** What calls return: name, number, text. */
#define SIM_CUBLAS_STATUS(X)                                                   \
    X(CUBLAS_STATUS_SUCCESS, 0, "success")                                     \
    X(CUBLAS_STATUS_NOT_INITIALIZED, 1, "the library was not initialized")     \
    X(CUBLAS_STATUS_ALLOC_FAILED, 3, "the resource allocation failed")         \
    X(CUBLAS_STATUS_INVALID_VALUE, 7, "an unsupported value or parameter")     \
    X(CUBLAS_STATUS_ARCH_MISMATCH, 8, "a feature that the device has not")     \
    X(CUBLAS_STATUS_MAPPING_ERROR, 11, "access to GPU memory failed")          \
    X(CUBLAS_STATUS_EXECUTION_FAILED, 13, "the program failed to execute")     \
    X(CUBLAS_STATUS_INTERNAL_ERROR, 14, "an internal operation failed")        \
    X(CUBLAS_STATUS_NOT_SUPPORTED, 15, "the function is not supported")        \
    X(CUBLAS_STATUS_LICENSE_ERROR, 16, "the license is missing")

typedef enum {
#define X(name, number, text) name = number,
    SIM_CUBLAS_STATUS(X)
#undef X
} cublasStatus_t;

typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2, /**< of real numbers the same as T */
    CUBLAS_OP_HERMITAN = 2
} cublasOperation_t;

typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;

typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3, /**< float has 10 bits of fraction */
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74, /**< FAST: as with TF32 */
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;

typedef cudaDataType cublasDataType_t;

/** Ways to compute, of which only one is here. */
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

/* ---- handles, copies ----------------------------------------------------- */

typedef struct cublasContext *cublasHandle_t;

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle,
                                    cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle,
                                    cublasPointerMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t bytes);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int n, int bytes, const void *host, int host_inc,
                               void *device, int device_inc);
cublasStatus_t cublasGetVector(int n, int bytes, const void *device,
                               int device_inc, void *host, int host_inc);
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *host,
                               int host_ld, void *device, int device_ld);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes,
                               const void *device, int device_ld, void *host,
                               int host_ld);

/* ---- for float and double ------------------------------------------------ */

/** Every @p inc-th element is one of a vector; if it is below 0, the last one
 *  in memory is the first one. */
#define SIM_CUBLAS_OF(T, L, l)                                                 \
    cublasStatus_t cublasI##l##amax(cublasHandle_t handle, int n, const T *x,  \
                                    int incx, int *result);                    \
    cublasStatus_t cublas##L##asum(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, T *result);                       \
    cublasStatus_t cublas##L##nrm2(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, T *result);                       \
    cublasStatus_t cublas##L##dot(cublasHandle_t handle, int n, const T *x,    \
                                  int incx, const T *y, int incy, T *result);  \
    cublasStatus_t cublas##L##scal(cublasHandle_t handle, int n,               \
                                   const T *alpha, T *x, int incx);            \
    cublasStatus_t cublas##L##copy(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, T *y, int incy);                  \
    cublasStatus_t cublas##L##axpy(cublasHandle_t handle, int n,               \
                                   const T *alpha, const T *x, int incx, T *y, \
                                   int incy);                                  \
    cublasStatus_t cublas##L##ger(cublasHandle_t handle, int m, int n,         \
                                  const T *alpha, const T *x, int incx,        \
                                  const T *y, int incy, T *A, int lda);        \
    cublasStatus_t cublas##L##gemv(                                            \
        cublasHandle_t handle, cublasOperation_t op, int m, int n,             \
        const T *alpha, const T *A, int lda, const T *x, int incx,             \
        const T *beta, T *y, int incy);                                        \
    cublasStatus_t cublas##L##geam(                                            \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, const T *alpha, const T *A, int lda, const T *beta,      \
        const T *B, int ldb, T *C, int ldc);

SIM_CUBLAS_OF(float, S, s)
SIM_CUBLAS_OF(double, D, d)
#undef SIM_CUBLAS_OF

/* ---- products of matrices ------------------------------------------------ */

struct __half;

/** C = alpha op(A) op(B) + beta C: m x n, and k products for each element. */
#define SIM_CUBLAS_GEMM(T, L)                                                  \
    cublasStatus_t cublas##L##gemm(                                            \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, int k, const T *alpha, const T *A, int lda, const T *B,  \
        int ldb, const T *beta, T *C, int ldc);                                \
    cublasStatus_t cublas##L##gemmStridedBatched(                              \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, int k, const T *alpha, const T *A, int lda,              \
        long long strideA, const T *B, int ldb, long long strideB,             \
        const T *beta, T *C, int ldc, long long strideC, int batches);

SIM_CUBLAS_GEMM(float, S)
SIM_CUBLAS_GEMM(double, D)
SIM_CUBLAS_GEMM(struct __half, H)
#undef SIM_CUBLAS_GEMM

/** The same with a type for each matrix; alpha and beta are of the type that is
 *  computed in. */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA,
                            cublasOperation_t opB, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType typeA, int lda, const void *B,
                            cudaDataType typeB, int ldb, const void *beta,
                            void *C, cudaDataType typeC, int ldc,
                            cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
    long long strideA, const void *B, cudaDataType typeB, int ldb,
    long long strideB, const void *beta, void *C, cudaDataType typeC, int ldc,
    long long strideC, int batches, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm);

#ifdef __cplusplus
} /* extern "C" */

/** Before CUDA 11 a type of elements said what is computed in. */
static inline cublasComputeType_t sim_cublas_compute(cudaDataType type)
{
    return type == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
           : type == CUDA_R_64F ? CUBLAS_COMPUTE_64F
           : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                : CUBLAS_COMPUTE_32F;
}

static inline cublasStatus_t
cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA,
             cublasOperation_t opB, int m, int n, int k, const void *alpha,
             const void *A, cudaDataType typeA, int lda, const void *B,
             cudaDataType typeB, int ldb, const void *beta, void *C,
             cudaDataType typeC, int ldc, cudaDataType compute,
             cublasGemmAlgo_t algorithm)
{
    return cublasGemmEx(handle, opA, opB, m, n, k, alpha, A, typeA, lda, B,
                        typeB, ldb, beta, C, typeC, ldc,
                        sim_cublas_compute(compute), algorithm);
}

static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
    long long strideA, const void *B, cudaDataType typeB, int ldb,
    long long strideB, const void *beta, void *C, cudaDataType typeC, int ldc,
    long long strideC, int batches, cudaDataType compute,
    cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(
        handle, opA, opB, m, n, k, alpha, A, typeA, lda, strideA, B, typeB, ldb,
        strideB, beta, C, typeC, ldc, strideC, batches,
        sim_cublas_compute(compute), algorithm);
}
#endif

#endif
