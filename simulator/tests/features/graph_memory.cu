#include "cases.h"
#include <stdint.h>

// feature: memory that graphs allocate: nodes, captured cudaMallocAsync,
// accounts

enum { N = 256 };

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value + threadIdx.x;
}

static uint64_t account(cudaGraphMemAttributeType what)
{
    uint64_t bytes = ~0ull;
    CHECK_CUDA(cudaDeviceGetGraphMemAttribute(0, what, &bytes));
    return bytes;
}

CASE(graph_memory)
{
    int host[N], value = 10;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t allocated, filled, back, freed;
    CHECK_CUDA(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = sizeof host;
    CHECK_CUDA(cudaGraphAddMemAllocNode(&allocated, graph, NULL, 0, &memory));
    void *args[] = {&memory.dptr, &value};
    cudaKernelNodeParams launch = {};
    launch.func = (void *)fill;
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(N);
    launch.kernelParams = args;
    CHECK_CUDA(cudaGraphAddKernelNode(&filled, graph, &allocated, 1, &launch));
    CHECK_CUDA(cudaGraphAddMemcpyNode1D(&back, graph, &filled, 1, host,
                                        memory.dptr, sizeof host,
                                        cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaGraphAddMemFreeNode(&freed, graph, &back, 1, memory.dptr));
    CHECK_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    CHECK_EQUAL(account(cudaGraphMemAttrUsedMemCurrent), 0);
    for (int i = 0; i < 2; i++)
        CHECK_CUDA(cudaGraphLaunch(ready, 0));
    CHECK_EQUAL(host[N - 1], 10 + N - 1);
    CHECK_EQUAL(account(cudaGraphMemAttrUsedMemCurrent), 0);
    CHECK(account(cudaGraphMemAttrUsedMemHigh) >= sizeof host);
    CHECK_CUDA(cudaGraphExecDestroy(ready));
    CHECK_CUDA(cudaGraphDestroy(graph));

    // captured, and freed by the host behind the graph
    int *x;
    cudaStream_t stream;
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK_CUDA(cudaMallocAsync(&x, sizeof host, stream));
    fill<<<1, N, 0, stream>>>(x, 20);
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 2; i++) {
        CHECK_CUDA(cudaGraphLaunch(ready, stream));
        CHECK_EQUAL(cudaGraphLaunch(ready, stream), cudaErrorInvalidValue);
        CHECK_CUDA(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost,
                                   stream));
        CHECK_CUDA(cudaFreeAsync(x, stream));
        CHECK_EQUAL(host[1], 21);
    }
    cudaGetLastError();
    CHECK_CUDA(cudaDeviceGraphMemTrim(0));
    CHECK_CUDA(cudaGraphExecDestroy(ready));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaStreamDestroy(stream));
}
