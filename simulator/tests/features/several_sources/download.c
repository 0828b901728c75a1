// Plain C that calls the CUDA runtime.

#include "add.h"

cudaError_t download(float *host, const float *device, int n)
{
    return cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost);
}
