#include "cases.h"

#include <cublas_v2.h>

// cuBLAS works on memory of cudaMalloc(), of which all must be there.

static cublasHandle_t made()
{
    cublasHandle_t handle = NULL;
    cublasCreate(&handle);
    return handle;
}

CASE(host_memory)
{
    float *x = zeros<float>(4), *y = zeros<float>(4), h[4] = {0}, one = 1;
    const float *from = RIGHT ? x : h;
    // says: cublasSaxpy reads x
    // says: which is host memory
    cublasSaxpy(made(), 4, &one, from, 1, y, 1); // expect: host-pointer
    CHECK_EQUAL(cudaDeviceSynchronize(),
                RIGHT ? cudaSuccess : cudaErrorIllegalAddress);
    cudaDeviceReset();
}

// Factors are where the handle's pointer mode says.

CASE(factor_of_the_host)
{
    float *x = zeros<float>(4), two = 2;
    cublasHandle_t handle = made();
    cublasSetPointerMode(handle, RIGHT ? CUBLAS_POINTER_MODE_HOST
                                       : CUBLAS_POINTER_MODE_DEVICE);
    // says: cublasSscal reads alpha
    cublasSscal(handle, 4, &two, x, 1); // expect: host-pointer
    cudaDeviceReset();
}

CASE(factor_of_the_device)
{
    float *x = zeros<float>(4);
    cublasHandle_t handle = made();
    cublasSetPointerMode(handle, RIGHT ? CUBLAS_POINTER_MODE_DEVICE
                                       : CUBLAS_POINTER_MODE_HOST);
    // says: alpha is in device memory
    cublasStatus_t status =
        cublasSscal(handle, 4, x, x, 1); // expect: host-dereference
    CHECK_EQUAL(status,
                RIGHT ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED);
}

CASE(no_factor)
{
    float *x = zeros<float>(4), two = 2, *alpha = RIGHT ? &two : NULL;
    // says: cublasSscal: alpha or beta is NULL
    cublasStatus_t status =
        cublasSscal(made(), 4, alpha, x, 1); // expect: cublas-argument-note
    CHECK_EQUAL(status,
                RIGHT ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE);
}

CASE(short_of_a_vector)
{
    float *x = zeros<float>(11 + RIGHT), *y = zeros<float>(12);
    // says: cublasScopy reads x: 12 elements, incx 1
    cublasScopy(made(), 12, x, 1, y, 1); // expect: out-of-bounds-global
    cudaDeviceReset();
}

CASE(short_of_a_column)
{
    const int m = 4, n = 3, k = 2, lacking = RIGHT ? 0 : 1;
    float *A = zeros<float>(m * k), *B = zeros<float>(k * n);
    float *C = room<float>(m * n - lacking);
    const float one = 1, zero = 0;
    // says: cublasSgemm writes C: 4 x 3, by columns, ld 4
    cublasStatus_t status = cublasSgemm( // expect: out-of-bounds-global
        made(), CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, A, m, B, k, &zero, C,
        m);
    CHECK_EQUAL(status,
                RIGHT ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED);
    cudaDeviceReset();
}

CASE(never_written)
{
    float *A = room<float>(8), *x = zeros<float>(2), *y = zeros<float>(4);
    const float one = 1, zero = 0;
    cudaMemset(A, 0, (RIGHT ? 8 : 7) * sizeof *A);
    // says: nothing has written 1 of its words
    cublasSgemv(made(), CUBLAS_OP_N, 4, 2, // expect: uninitialised-global
                &one, A, 4, x, 1, &zero, y, 1);
    CHECK_EQUAL(fetch(y), 0);
}

// A matrix by rows, told as if it lay by columns.

CASE(rows_for_columns)
{
    float *A = zeros<float>(6), *x = zeros<float>(2), *y = zeros<float>(3);
    const float one = 1, zero = 0;
    const cublasOperation_t op = RIGHT ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int rows = RIGHT ? 2 : 3, cols = RIGHT ? 3 : 2;
    // says: cublasSgemv: the columns of A have 3 elements
    cublasSgemv(made(), op, rows, cols, // expect: cublas-argument-note
                &one, A, 2, x, 1, &zero, y, 1);
}

// A stream of its own does not wait for others.

__global__ void fill(float *x)
{
    x[threadIdx.x] = 1;
}

CASE(another_stream)
{
    float *x = zeros<float>(64);
    const float two = 2;
    cudaStream_t first = new_stream(cudaStreamNonBlocking),
                 second = new_stream(cudaStreamNonBlocking);
    cublasHandle_t handle = made();
    cudaDeviceSynchronize();
    cublasSetStream(handle, RIGHT ? first : second);
    fill<<<1, 64, 0, first>>>(x);
    // says: by cublasSscal; kernel fill has written it
    cublasSscal(handle, 64, &two, x, 1); // expect: stream-race
    cudaDeviceSynchronize();
    CHECK_EQUAL(fetch(x), 2);
}

// A result on the host is there when the call returns.

CASE(after_a_result)
{
    float *x = zeros<float>(64), sum = 0;
    cudaStream_t first = new_stream(cudaStreamNonBlocking),
                 second = new_stream(cudaStreamNonBlocking);
    cublasHandle_t handle = made();
    cudaDeviceSynchronize();
    cublasSetStream(handle, first);
    cublasSdot(handle, 64, x, 1, x, 1, &sum);
    fill<<<1, 64, 0, second>>>(x);
    cudaDeviceSynchronize();
    CHECK_EQUAL(sum, 0);
}

CASE(managed_too_early)
{
    float *x = NULL;
    const float two = 2;
    cudaMallocManaged(&x, sizeof *x);
    *x = 1;
    cublasSscal(made(), 1, &two, x, 1);
    if (RIGHT)
        cudaDeviceSynchronize();
    *x += 1; // expect: host-dereference
}
