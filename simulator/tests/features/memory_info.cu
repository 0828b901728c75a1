#include "cases.h"

// feature: cudaMemGetInfo, cudaPointerGetAttributes; more than there is is
// refused

CASE(memory_info)
{
    size_t before, during, after, total;
    char *p = NULL, *q = NULL;
    CHECK_CUDA(cudaMemGetInfo(&before, &total));
    CHECK(before > 0 && before <= total);
    CHECK_CUDA(cudaMalloc((void **)&p, 64 << 20));
    CHECK_CUDA(cudaMemGetInfo(&during, &total));
    CHECK(during + (64 << 20) <= before);

    cudaPointerAttributes attributes;
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, p));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    CHECK(attributes.devicePointer == p);

    CHECK(cudaMalloc((void **)&q, total + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_CUDA(cudaFree(p));
    CHECK_CUDA(cudaMemGetInfo(&after, &total));
    CHECK(after > during);
}
