// Plain C that calls the CUDA runtime.

#include <cuda_runtime_api.h>

cudaError_t download(float *host, const float *device, int n)
{
    return cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost);
}
