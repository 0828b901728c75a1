#include "cases.h"

// feature: captures over several streams: events fork and join, edges are kept

__global__ void add(int *x, int n)
{
    *x += n;
}

CASE(graph_branches)
{
    int *x = shared_zeros<int>(3);
    cudaStream_t first, second;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK_CUDA(cudaStreamCreate(&first));
    CHECK_CUDA(cudaStreamCreate(&second));
    CHECK_CUDA(cudaEventCreate(&forked));
    CHECK_CUDA(cudaEventCreate(&joined));
    CHECK_CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, first>>>(&x[0], 1);
    CHECK_CUDA(cudaEventRecord(forked, first));
    CHECK_CUDA(cudaStreamWaitEvent(second, forked, 0));
    add<<<1, 1, 0, first>>>(&x[1], 2);
    add<<<1, 1, 0, second>>>(&x[2], 3);
    CHECK_CUDA(cudaEventRecord(joined, second));
    CHECK_CUDA(cudaStreamWaitEvent(first, joined, 0));
    add<<<1, 1, 0, first>>>(&x[0], 10);
    CHECK_CUDA(cudaStreamEndCapture(first, &graph));

    size_t nodes = 0, edges = 0, roots = 0;
    CHECK_CUDA(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK_CUDA(cudaGraphGetRootNodes(graph, NULL, &roots));
    CHECK_CUDA(cudaGraphGetEdges(graph, NULL, NULL, &edges));
    CHECK_EQUAL(nodes, 4);
    CHECK_EQUAL(roots, 1);
    CHECK_EQUAL(edges, 4);
    CHECK_CUDA(cudaGraphInstantiate(&ready, graph, 0));
    CHECK_CUDA(cudaGraphLaunch(ready, first));
    CHECK_CUDA(cudaStreamSynchronize(first));
    CHECK_EQUAL(x[0] + 100 * x[1] + 1000 * x[2], 3211);

    // a branch that does not come back
    CHECK_CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK_CUDA(cudaEventRecord(forked, first));
    CHECK_CUDA(cudaStreamWaitEvent(second, forked, 0));
    add<<<1, 1, 0, second>>>(&x[2], 3);
    cudaGraph_t broken;
    CHECK_EQUAL(cudaStreamEndCapture(first, &broken),
                cudaErrorStreamCaptureUnjoined);
    cudaGetLastError();
    CHECK_CUDA(cudaGraphExecDestroy(ready));
    CHECK_CUDA(cudaGraphDestroy(graph));
}
