// feature: error codes: names, texts, cudaGetLastError, cudaPeekAtLastError

#include "check.h"

__global__ void nothing()
{
}

int main()
{
    CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue),
                 "cudaErrorInvalidValue") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                 "invalid configuration argument") == 0);

    static int x[4];
    int *p;
    CHECK(cudaFree(x) == cudaErrorInvalidValue); // not from cudaMalloc
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_CUDA(cudaMalloc((void **)&p, 16));
    CHECK_CUDA(cudaFree(p));
    CHECK(cudaFree(p) == cudaErrorInvalidValue); // twice
    CHECK(cudaSetDevice(99) == cudaErrorInvalidDevice);
    CHECK(cudaEventQuery(NULL) != cudaSuccess);
    cudaGetLastError();
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError() == cudaSuccess);
    return check_result();
}
