/**
 * @file check.h
 * @brief Checks for the small programs in features/.
 *
 * On the host and in kernels. A program prints nothing when all is well and
 * returns 0; a check that fails prints its place and what was wrong, and
 * check_result() becomes 1.
 */
#ifndef CHECK_H
#define CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

/** Fail unless @p condition holds. */
#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)

/** Fail unless both are equal; prints them as numbers. */
#define CHECK_EQUAL(actual, expected)                                          \
    check_equal((double)(actual), (double)(expected), #actual, __FILE__,       \
                __LINE__)

/** Fail unless a CUDA call returns cudaSuccess. */
#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

static __managed__ int check_failures;

static inline __host__ __device__ void check_true(bool right, const char *text,
                                                  const char *file, int line)
{
    if (right)
        return;
    printf("%s:%d: not true: %s\n", file, line, text);
    check_failures = 1;
}

static inline __host__ __device__ void check_equal(double actual,
                                                   double expected,
                                                   const char *text,
                                                   const char *file, int line)
{
    if (actual == expected)
        return;
    printf("%s:%d: %s is %.17g, expected %.17g\n", file, line, text, actual,
           expected);
    check_failures = 1;
}

static inline void check_cuda(cudaError_t error, const char *text,
                              const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    printf("%s:%d: %s: %s\n", file, line, text, cudaGetErrorString(error));
    check_failures = 1;
}

/** Wait for the device. @return the status for main() */
static inline int check_result(void)
{
    check_cuda(cudaDeviceSynchronize(), "kernel", __FILE__, __LINE__);
    return check_failures != 0;
}

/** @p n zeros in memory of both host and device; wait before reading it. */
template <class T>
T *shared_zeros(int n)
{
    T *p = NULL;
    check_cuda(cudaMallocManaged((void **)&p, n * sizeof(T)),
               "cudaMallocManaged", __FILE__, __LINE__);
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

#endif
