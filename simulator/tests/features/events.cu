#include "cases.h"

// feature: events: record, query, synchronise, elapsed time (not a GPU's time)

__global__ void work(int *x)
{
    for (int i = 0; i < 100; i++)
        atomicAdd(x, 1);
}

CASE(events)
{
    cudaEvent_t begin, end;
    int *x = shared_zeros<int>(1);
    float ms = -1.0f;
    CHECK_CUDA(cudaEventCreate(&begin));
    CHECK_CUDA(cudaEventCreate(&end));
    CHECK_CUDA(cudaEventRecord(begin));
    work<<<4, 64>>>(x);
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    CHECK_CUDA(cudaEventQuery(end));
    CHECK_CUDA(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0.0f && ms < 60000.0f);
    CHECK_EQUAL(*x, 25600);
    CHECK_CUDA(cudaEventDestroy(begin));
    CHECK_CUDA(cudaEventDestroy(end));
}
