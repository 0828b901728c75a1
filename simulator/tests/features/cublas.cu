#include "cases.h"

#include <cublas_v2.h>
#include <math.h>
#include <vector>

// cuBLAS: what cublas_v2.h has, beside loops that are written here.

/** A copy in device memory. */
template <class T>
static T *on_device(const std::vector<T> &values)
{
    T *p = room<T>(values.size() + 1);
    CHECK_CUDA(cudaMemcpy(p, values.data(), values.size() * sizeof(T),
                          cudaMemcpyHostToDevice));
    return p;
}

template <class T>
static std::vector<T> on_host(const T *device, int n)
{
    std::vector<T> values(n);
    CHECK_CUDA(cudaMemcpy(values.data(), device, n * sizeof(T),
                          cudaMemcpyDeviceToHost));
    return values;
}

/** Small whole numbers: every sum of products is exact. */
template <class T>
static std::vector<T> numbers(int n, int seed)
{
    std::vector<T> values(n);
    for (int i = 0; i < n; i++)
        values[i] = T((i * 7 + seed * 5) % 9 - 4);
    return values;
}

static cublasHandle_t handle()
{
    static cublasHandle_t made;
    if (!made)
        CHECK_EQUAL(cublasCreate(&made), CUBLAS_STATUS_SUCCESS);
    return made;
}

/** Element of op(x). */
template <class T>
static double of(const std::vector<T> &x, cublasOperation_t op, int ld, int row,
                 int col)
{
    return double(x[op == CUBLAS_OP_N ? row + col * ld : col + row * ld]);
}

enum { m = 5, n = 4, k = 3, lda = 8, ldb = 12, ldc = 6 };

/** Compare each element of C with sums of products; rows between m and ldc
 *  stay as they were. */
template <class T, class S, class Call>
static void check_gemm(Call call)
{
    const cublasOperation_t all[] = {CUBLAS_OP_N, CUBLAS_OP_T};
    std::vector<T> A = numbers<T>(lda * 5, 1), B = numbers<T>(ldb * 4, 2);
    std::vector<S> C = numbers<S>(ldc * n, 3);
    const T *a = on_device(A), *b = on_device(B);
    for (cublasOperation_t opA : all)
        for (cublasOperation_t opB : all) {
            S *c = on_device(C);
            CHECK_EQUAL(call(opA, opB, a, b, c), CUBLAS_STATUS_SUCCESS);
            std::vector<S> got = on_host(c, ldc * n);
            for (int col = 0; col < n; col++)
                for (int row = 0; row < ldc; row++) {
                    double sum = 0, old = double(C[row + col * ldc]);
                    for (int i = 0; i < k; i++)
                        sum += of(A, opA, lda, row < m ? row : 0, i) *
                               of(B, opB, ldb, i, col);
                    CHECK_EQUAL(double(got[row + col * ldc]),
                                row < m ? 2 * sum - old : old);
                }
            CHECK_CUDA(cudaFree(c));
        }
}

// feature: cublasSgemm, Dgemm, Hgemm; alpha and beta on the host

template <class T, class Gemm>
static void check_typed(Gemm gemm)
{
    check_gemm<T, T>([=](auto opA, auto opB, const T *A, const T *B, T *C) {
        const T alpha = T(2), beta = T(-1);
        return gemm(handle(), opA, opB, m, n, k, &alpha, A, lda, B, ldb, &beta,
                    C, ldc);
    });
}

CASE(cublas_gemm)
{
    check_typed<float>(cublasSgemm);
    check_typed<double>(cublasDgemm);
    check_typed<__half>(cublasHgemm);
}

// feature: cublasGemmEx with bfloat16, half, 8-bit integers and float

template <class T, class S, class Factor>
static void check_ex(cudaDataType in, cudaDataType out,
                     cublasComputeType_t compute)
{
    check_gemm<T, S>([=](auto opA, auto opB, const T *A, const T *B, S *C) {
        const Factor alpha = 2, beta = -1;
        return cublasGemmEx(handle(), opA, opB, m, n, k, &alpha, A, in, lda, B,
                            in, ldb, &beta, C, out, ldc, compute,
                            CUBLAS_GEMM_DEFAULT);
    });
}

CASE(cublas_gemm_ex)
{
    check_ex<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF,
                                                  CUBLAS_COMPUTE_32F);
    check_ex<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    check_ex<float, float, float>(CUDA_R_32F, CUDA_R_32F,
                                  CUBLAS_COMPUTE_32F_FAST_TF32);
    check_ex<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
    float one = 1, *x = zeros<float>(1);
    CHECK_EQUAL(cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one,
                             x, CUDA_R_32F, 1, x, CUDA_R_32F, 1, &one, x,
                             CUDA_R_32F, 1, CUDA_R_32F, CUBLAS_GEMM_DFALT),
                CUBLAS_STATUS_SUCCESS); /* as before CUDA 11 */
    CHECK_EQUAL(cublasGemmStridedBatchedEx(
                    handle(), CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x,
                    CUDA_R_32F, 1, 0, x, CUDA_R_32F, 1, 0, &one, x, CUDA_R_32F,
                    1, 0, 1, CUDA_R_32F, CUBLAS_GEMM_DFALT),
                CUBLAS_STATUS_SUCCESS);
}

// feature: cublasSgemm: where beta is 0 C is not read, where alpha is 0 A and B

CASE(cublas_zero_factors)
{
    const float zero = 0, one = 1;
    float *A = on_device<float>({1, 2}), *B = on_device<float>({3, 4});
    float *C = on_device<float>({NAN});
    float *not_written = room<float>(2);
    cublasSgemm(handle(), CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &one, A, 2, B, 2,
                &zero, C, 1);
    CHECK_EQUAL(fetch(C), 11);
    cublasSgemm(handle(), CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 2, &zero, not_written,
                2, not_written, 2, &one, C, 1);
    CHECK_EQUAL(fetch(C), 11);
    cublasSgemm(handle(), CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 0, &one, A, 1, B, 1,
                &one, C, 1);
    CHECK_EQUAL(fetch(C), 11);
}

// feature: cuBLAS's TF32: 10 bits of a float's fraction

CASE(cublas_tf32)
{
    const float one = 1, zero = 0, x = 1 + 1.f / 4096, y = 1 + 1.f / 1024;
    float *A = on_device<float>({x, y}), *B = on_device<float>({1, 0, 0, 1});
    float *C = zeros<float>(2);
    cublasMath_t mode;
    for (cublasMath_t math : {CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH,
                              CUBLAS_PEDANTIC_MATH}) {
        cublasSetMathMode(handle(), math);
        cublasGetMathMode(handle(), &mode);
        CHECK_EQUAL(mode, math);
        cublasSgemm(handle(), CUBLAS_OP_N, CUBLAS_OP_N, 1, 2, 2, &one, A, 1, B,
                    2, &zero, C, 1);
        CHECK_EQUAL(fetch(C), math == CUBLAS_TF32_TENSOR_OP_MATH ? 1.f : x);
        CHECK_EQUAL(fetch(C + 1), y);
    }
    cublasSetMathMode(handle(), CUBLAS_TF32_TENSOR_OP_MATH);
    cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, 1, 2, 2, &one, A,
                 CUDA_R_32F, 1, B, CUDA_R_32F, 2, &zero, C, CUDA_R_32F, 1,
                 CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT);
    CHECK_EQUAL(fetch(C), x);
    cublasSetMathMode(handle(), CUBLAS_DEFAULT_MATH);
}

// feature: cublasSgemmStridedBatched, one A for all of a batch

CASE(cublas_batched)
{
    const float one = 1, zero = 0;
    float *A = on_device<float>({1, 2, 3, 4});
    float *B = on_device(numbers<float>(3 * 5, 1)), *C = zeros<float>(3 * 4);
    CHECK_EQUAL(cublasSgemmStridedBatched(handle(), CUBLAS_OP_N, CUBLAS_OP_N, 2,
                                          1, 2, &one, A, 2, 0, B, 2, 5, &zero,
                                          C, 2, 4, 3),
                CUBLAS_STATUS_SUCCESS);
    std::vector<float> b = on_host(B, 15), c = on_host(C, 12);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(c[4 * i], b[5 * i] + 3 * b[5 * i + 1]);
        CHECK_EQUAL(c[4 * i + 1], 2 * b[5 * i] + 4 * b[5 * i + 1]);
        CHECK_EQUAL(c[4 * i + 2], 0);
    }
}

// feature: cublasSaxpy, dot, nrm2, asum, scal, copy, Isamax; steps below 0

CASE(cublas_vectors)
{
    double *x = on_device<double>({3, -4, 0, 2}), *y = zeros<double>(4);
    double result = 0, two = 2;
    int place = 0;
    cublasDnrm2(handle(), 2, x, 1, &result);
    CHECK_EQUAL(result, 5);
    cublasDasum(handle(), 4, x, 1, &result);
    CHECK_EQUAL(result, 9);
    cublasIdamax(handle(), 4, x, 1, &place);
    CHECK_EQUAL(place, 2);
    cublasDcopy(handle(), 2, x, 2, y, 1);
    CHECK_EQUAL(fetch(y) + fetch(y + 1), 3);
    cublasDaxpy(handle(), 4, &two, x, -1, y, 1); /* 2, 0, -4, 3 and so on */
    CHECK_EQUAL(fetch(y), 3 + 4);
    CHECK_EQUAL(fetch(y + 3), 6);
    cublasDdot(handle(), 4, x, 1, y, 1, &result);
    CHECK_EQUAL(result, 3 * 7 + 2 * 6);
    cublasDscal(handle(), 2, &two, x, 3);
    CHECK_EQUAL(fetch(x), 6);
    CHECK_EQUAL(fetch(x + 3), 4);
}

// feature: cuBLAS's vectors: no elements, a step of 0, NaN, large numbers

CASE(cublas_odd_vectors)
{
    double *x = on_device<double>({1e300, 1e300, NAN, 2}),
           *y = zeros<double>(4);
    double result = 7;
    const double two = 2;
    int place = 7;
    CHECK_EQUAL(cublasDscal(handle(), -1, &two, x, 1), CUBLAS_STATUS_SUCCESS);
    CHECK_EQUAL(cublasDaxpy(handle(), 0, &two, x, 1, y, 1),
                CUBLAS_STATUS_SUCCESS);
    cublasIdamax(handle(), 4, x, 0, &place);
    CHECK_EQUAL(place, 0);
    cublasIdamax(handle(), 4, x, 1, &place);
    CHECK_EQUAL(place, 3);
    cublasDasum(handle(), -4, x, 1, &result);
    CHECK_EQUAL(result, 0);
    cublasDnrm2(handle(), 2, x, 1, &result);
    CHECK_EQUAL(result, 1e300 * sqrt(2.0));
    cublasDnrm2(handle(), 4, x, 1, &result);
    CHECK(isnan(result));
    cublasDaxpy(handle(), 4, &two, x + 3, 0, y, 1);
    CHECK_EQUAL(fetch(y) + fetch(y + 3), 8);
}

// feature: cublasSgemv, Sger, Sgeam

CASE(cublas_matrix_and_vector)
{
    const float one = 1, two = 2, zero = 0;
    float *A = on_device<float>({1, 2, 3, 4, 5, 6}); /* 2 x 3, by columns */
    float *x = on_device<float>({1, 10, 100}), *y = zeros<float>(4);
    cublasSgemv(handle(), CUBLAS_OP_N, 2, 3, &one, A, 2, x, 1, &zero, y, 2);
    CHECK_EQUAL(fetch(y), 531);
    CHECK_EQUAL(fetch(y + 2), 642);
    cublasSgemv(handle(), CUBLAS_OP_T, 2, 3, &two, A, 2, x, 1, &one, y, 1);
    CHECK_EQUAL(fetch(y), 531 + 42);
    CHECK_EQUAL(fetch(y + 1), 86);
    CHECK_EQUAL(fetch(y + 2), 642 + 130);
    cublasSger(handle(), 2, 3, &two, x, 1, x, 1, A, 2);
    CHECK_EQUAL(fetch(A), 3);
    CHECK_EQUAL(fetch(A + 5), 6 + 2000);
    float *turned = zeros<float>(6);
    cublasSgeam(handle(), CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &one, A, 2, &zero,
                NULL, 3, turned, 3);
    CHECK_EQUAL(fetch(turned + 3), fetch(A + 1));
    CHECK_EQUAL(fetch(turned + 2), fetch(A + 4));
    cublasSgeam(handle(), CUBLAS_OP_N, CUBLAS_OP_T, 3, 2, &two, turned, 3, &one,
                A, 2, turned, 3);
    CHECK_EQUAL(fetch(turned + 2), 3 * fetch(A + 4));
}

// feature: cuBLAS's factors and results in device memory, streams, graphs

CASE(cublas_streams)
{
    cudaStream_t stream = new_stream(), asked = NULL;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    float *x = on_device<float>({1, 2}), *alpha = on_device<float>({3});
    float *result = zeros<float>(1);
    cublasHandle_t own;
    cublasCreate(&own);
    cublasSetStream(own, stream);
    cublasGetStream(own, &asked);
    CHECK(asked == stream);
    cublasSetPointerMode(own, CUBLAS_POINTER_MODE_DEVICE);
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK_EQUAL(cublasSscal(own, 2, alpha, x, 1), CUBLAS_STATUS_SUCCESS);
    CHECK_EQUAL(cublasSdot(own, 2, x, 1, x, 1, result), CUBLAS_STATUS_SUCCESS);
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    CHECK_EQUAL(fetch(x), 1);
    CHECK_CUDA(cudaGraphLaunch(ready, stream));
    CHECK_CUDA(cudaGraphLaunch(ready, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(fetch(x), 9);
    CHECK_EQUAL(fetch(result), 81 + 324);
    CHECK_EQUAL(cublasDestroy(own), CUBLAS_STATUS_SUCCESS);
}

// feature: cublasSetMatrix, GetMatrix, SetVector, GetVector; names of errors

CASE(cublas_copies)
{
    const float h[6] = {1, 2, 3, 4, 5, 6};
    float back[6] = {0}, *d = zeros<float>(8);
    int version = 0;
    cublasSetMatrix(2, 3, sizeof *d, h, 2, d, 2);
    cublasGetMatrix(1, 3, sizeof *d, d, 2, back, 2);
    CHECK_EQUAL(back[0] + back[1] + back[2] + back[4], 1 + 3 + 5);
    cublasSetVector(3, sizeof *d, h, 2, d, 1);
    cublasGetVector(3, sizeof *d, d, 1, back, 1);
    CHECK_EQUAL(back[0] + back[1] + back[2], 1 + 3 + 5);
    CHECK(!strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED),
                  "CUBLAS_STATUS_NOT_SUPPORTED"));
    CHECK(!strcmp(cublasGetStatusString(CUBLAS_STATUS_SUCCESS), "success"));
    CHECK_EQUAL(cublasGetVersion(handle(), &version), CUBLAS_STATUS_SUCCESS);
    CHECK_EQUAL(version / 10000, CUBLAS_VER_MAJOR);
    CHECK_EQUAL(cublasDestroy(NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK_EQUAL(cublasSasum(NULL, 1, d, 1, back),
                CUBLAS_STATUS_NOT_INITIALIZED);
}
