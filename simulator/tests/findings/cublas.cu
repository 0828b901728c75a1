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
    cublasSaxpy(made(), 4, &one, from, 1, y, 1); // expect: host-pointer
    CHECK_EQUAL(cudaDeviceSynchronize(),
                RIGHT ? cudaSuccess : cudaErrorIllegalAddress);
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
    cudaStream_t first, second;
    cublasHandle_t handle = made();
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    cublasSetStream(handle, RIGHT ? first : second);
    fill<<<1, 64, 0, first>>>(x);
    // says: by cublasSscal; kernel fill has written it
    cublasSscal(handle, 64, &two, x, 1); // expect: stream-race
    cudaDeviceSynchronize();
    CHECK_EQUAL(fetch(x), 2);
}
