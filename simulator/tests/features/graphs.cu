#include "cases.h"

// feature: graphs: capture a stream, instantiate, launch again and again

__global__ void add(int *x, int n)
{
    atomicAdd(x, n);
}

CASE(graphs)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    int *x, h = -1;
    CHECK_CUDA(cudaMalloc((void **)&x, sizeof(int)));
    CHECK_CUDA(cudaMemset(x, 0, sizeof(int)));
    CHECK_CUDA(cudaStreamCreate(&stream));

    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 32, 0, stream>>>(x, 1);
    add<<<1, 32, 0, stream>>>(x, 2);
    CHECK_CUDA(
        cudaMemcpyAsync(&h, x, sizeof h, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK_EQUAL(h, -1); // recorded, not done

    CHECK_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK_CUDA(cudaGraphLaunch(ready, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(h, 3 * 96);
    CHECK_CUDA(cudaGraphExecDestroy(ready));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaStreamDestroy(stream));
    CHECK_CUDA(cudaFree(x));
}
