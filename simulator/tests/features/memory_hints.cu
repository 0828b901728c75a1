#include "cases.h"

// feature: cudaMemPrefetchAsync, cudaMemAdvise, cudaStreamAttachMemAsync,
// windows of the L2: checked, without effect

CASE(memory_hints)
{
    int *x = shared_zeros<int>(100), *device, window = 0;
    cudaStream_t stream;
    CHECK_CUDA(
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -9));
    CHECK_CUDA(cudaMalloc((void **)&device, 400));
    CHECK_CUDA(cudaMemPrefetchAsync(x, 400, 0, stream));
    CHECK_CUDA(cudaMemPrefetchAsync(x, 400, cudaCpuDeviceId, stream));
    CHECK_CUDA(cudaMemAdvise(x, 400, cudaMemAdviseSetReadMostly, 0));
    CHECK_CUDA(cudaStreamAttachMemAsync(stream, x));
    CHECK_EQUAL(cudaMemPrefetchAsync(x, 404, 0, stream), cudaErrorInvalidValue);
    CHECK_EQUAL(cudaMemPrefetchAsync(x, 400, 1, stream),
                cudaErrorInvalidDevice);
    CHECK_EQUAL(cudaMemPrefetchAsync(device, 400, 0, stream),
                cudaErrorInvalidValue);

    CHECK_CUDA(cudaDeviceGetAttribute(&window,
                                      cudaDevAttrMaxAccessPolicyWindowSize, 0));
    CHECK(window > 400);
    cudaStreamAttrValue value = {}, back = {};
    value.accessPolicyWindow.base_ptr = device;
    value.accessPolicyWindow.num_bytes = 400;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    CHECK_CUDA(cudaStreamSetAttribute(
        stream, cudaStreamAttributeAccessPolicyWindow, &value));
    CHECK_CUDA(cudaStreamGetAttribute(
        stream, cudaStreamAttributeAccessPolicyWindow, &back));
    CHECK_EQUAL(back.accessPolicyWindow.num_bytes, 400);
    CHECK_CUDA(cudaCtxResetPersistingL2Cache());

    int priority = 1;
    unsigned flags = 9;
    CHECK_CUDA(cudaStreamGetPriority(stream, &priority));
    CHECK_CUDA(cudaStreamGetFlags(stream, &flags));
    CHECK_EQUAL(priority, -5); // the greatest there is
    CHECK_EQUAL(flags, cudaStreamNonBlocking);
    cudaGetLastError();
    CHECK_CUDA(cudaStreamDestroy(stream));
    CHECK_CUDA(cudaFree(device));
}
