#include "cases.h"
#include <cuda_profiler_api.h>

// feature: names that helper headers test: `__DRIVER_TYPES_H__`,
// `__CUDA_RUNTIME_H__`, every error, every attribute of a device;
// <cuda_profiler_api.h>

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) ||            \
    !defined(__CUDA_RUNTIME_API_H__) || !defined(__CUDACC__)
#error "a helper header would leave its functions out"
#endif

CASE(header_names)
{
    CHECK_EQUAL(cudaErrorGraphExecUpdateFailure, 910);
    CHECK_EQUAL(cudaErrorInvalidResourceConfiguration, 915);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorECCUncorrectable),
                  "cudaErrorECCUncorrectable"));
    CHECK(strlen(cudaGetErrorString(cudaErrorNotMapped)) > 0);
    int mode = -1, patience = -1;
    CHECK_CUDA(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0));
    CHECK_EQUAL(mode, cudaComputeModeDefault);
    CHECK(mode != cudaComputeModeProhibited);
    CHECK_CUDA(
        cudaDeviceGetAttribute(&patience, cudaDevAttrKernelExecTimeout, 0));
    CHECK_EQUAL(patience, 0);
    CHECK_EQUAL(cudaDeviceGetAttribute(&mode, (cudaDeviceAttr)9999, 0),
                cudaErrorInvalidValue);
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
    CHECK_CUDA(cudaProfilerStart());
    CHECK_CUDA(cudaProfilerStop());
}
