/**
 * @file cublas.cuh
 * @brief cuBLAS as a library to compare with, where it is installed: then
 *        CUBLAS_VERSION is defined. GPU builds only.
 */
#if !defined(WITHOUT_CUBLAS) && __has_include(<cublas_v2.h>)

#include <stdio.h>
#include <stdlib.h>

#include <cublas_v2.h>

static cublasHandle_t cublas;

/** End the program if @p what has failed. */
static void check(cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, cublasGetStatusString(status));
    exit(EXIT_WRONG);
}

/** Make the handle; as variant::open. */
static const char *cublas_open(void)
{
    if (cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS)
        return "it cannot be initialised";
    check(cublasSetStream(cublas, cudaStreamPerThread), "cublasSetStream");
    return NULL;
}

/** Release it; variant::close. */
static void cublas_close(void)
{
    check(cublasDestroy(cublas), "cublasDestroy");
}

#endif
