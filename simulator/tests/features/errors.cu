#include "cases.h"

// feature: error codes: names, texts, cudaGetLastError, cudaPeekAtLastError

__global__ void nothing()
{
}

CASE(errors)
{
    CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue),
                 "cudaErrorInvalidValue") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                 "invalid configuration argument") == 0);

    CHECK(cudaMemset(NULL, 0, 4) == cudaErrorInvalidValue);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CHECK(cudaEventQuery(NULL) != cudaSuccess);
    cudaGetLastError();
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError() == cudaSuccess);
}
