/** @file add.h @brief Interface between the C++ and the C sources. */
#ifndef ADD_H
#define ADD_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** x[i] += value for i < n; x is device memory. */
void add(float *x, int n, float value);

/** Copy n floats to the host. */
cudaError_t download(float *host, const float *device, int n);

#ifdef __cplusplus
}
#endif

#endif
