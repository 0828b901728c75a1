#include "cases.h"

// feature: streams: create, wait, query, callbacks on the host

__global__ void add(int *x, int n)
{
    atomicAdd(x, n);
}

static void CUDART_CB note(void *data)
{
    *(int *)data += 100;
}

CASE(streams)
{
    cudaStream_t a, b;
    cudaEvent_t done;
    int *x = shared_zeros<int>(1), *y, h = 0, called = 0;
    CHECK_CUDA(cudaStreamCreate(&a));
    CHECK_CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK_CUDA(cudaMallocAsync((void **)&y, sizeof(int), a));
    CHECK_CUDA(cudaMemsetAsync(y, 0, sizeof(int), a));
    add<<<1, 32, 0, a>>>(y, 1);
    CHECK_CUDA(cudaEventRecord(done, a));
    CHECK_CUDA(cudaStreamWaitEvent(b, done, 0));
    add<<<1, 32, 0, b>>>(y, 2);
    CHECK_CUDA(cudaMemcpyAsync(&h, y, sizeof h, cudaMemcpyDeviceToHost, b));
    CHECK_CUDA(cudaLaunchHostFunc(b, note, &called));
    CHECK_CUDA(cudaStreamSynchronize(b));
    CHECK_EQUAL(h, 96);
    CHECK_EQUAL(called, 100);
    CHECK_CUDA(cudaStreamQuery(a));
    CHECK_CUDA(cudaFreeAsync(y, a));
    CHECK_CUDA(cudaStreamDestroy(a));
    CHECK_CUDA(cudaStreamDestroy(b));
    CHECK_CUDA(cudaEventDestroy(done));
    add<<<1, 1>>>(x, 5);
    CHECK_CUDA(cudaStreamSynchronize(0));
    CHECK_EQUAL(*x, 5);
}
