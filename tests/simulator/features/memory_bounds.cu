// feature: copies that leave their buffer or go the wrong way are refused

#include "check.h"

int main()
{
    int h[64], *d;
    CHECK_CUDA(cudaMalloc((void **)&d, sizeof h));
    CHECK(cudaMemcpy(h, d, sizeof h + 4, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpy(d + 1, h, sizeof h, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpy(d, h, sizeof h, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemset(d, 0, sizeof h + 1) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(NULL, d, 4, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK_CUDA(cudaMemset(d, 0, sizeof h));
    CHECK_CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(d));
    return check_result();
}
