#include "cases.h"

// feature: graphs by hand: nodes of kernels, copies, memsets, functions,
// graphs; edges, clones, updates of an executable graph

enum { N = 64 };

__global__ void add(int *x, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by;
}

template <class T>
__global__ void scale(T *x, int n, T by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}

static void count_calls(void *calls)
{
    ++*(int *)calls;
}

static cudaKernelNodeParams launch_of(void *kernel, void **args)
{
    cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = dim3(2);
    p.blockDim = dim3(N / 2);
    p.kernelParams = args;
    return p;
}

CASE(graph_nodes)
{
    int *x, host[N], n = N, by = 5, factor = 3, calls = 0;
    CHECK_CUDA(cudaMalloc((void **)&x, N * sizeof(int)));
    cudaGraph_t graph, child, clone;
    cudaGraphExec_t ready;
    cudaGraphNode_t zero, added, scaled, back, called, nodes[8];
    CHECK_CUDA(cudaGraphCreate(&graph, 0));

    cudaMemsetParams set = {};
    set.dst = x;
    set.value = 0x01020304;
    set.elementSize = 4;
    set.width = N;
    set.height = 1;
    CHECK_CUDA(cudaGraphAddMemsetNode(&zero, graph, NULL, 0, &set));
    void *add_args[] = {&x, &n, &by};
    cudaKernelNodeParams launch = launch_of((void *)add, add_args);
    CHECK_CUDA(cudaGraphAddKernelNode(&added, graph, &zero, 1, &launch));
    by = -1; // arguments are copied when the node is made

    // the copy is made first and comes last
    CHECK_CUDA(cudaGraphAddMemcpyNode1D(&back, graph, NULL, 0, host, x,
                                        sizeof host, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaGraphCreate(&child, 0));
    void *scale_args[] = {&x, &n, &factor};
    launch = launch_of((void *)scale<int>, scale_args);
    CHECK_CUDA(cudaGraphAddKernelNode(&scaled, child, NULL, 0, &launch));
    CHECK_CUDA(cudaGraphAddChildGraphNode(&scaled, graph, &added, 1, child));
    cudaHostNodeParams call = {count_calls, &calls};
    CHECK_CUDA(cudaGraphAddHostNode(&called, graph, &scaled, 1, &call));
    CHECK_CUDA(cudaGraphAddDependencies(graph, &called, &back, 1));

    size_t count = 8, edges = 0;
    cudaGraphNodeType type;
    CHECK_CUDA(cudaGraphGetNodes(graph, nodes, &count));
    CHECK_EQUAL(count, 5);
    CHECK(nodes[0] == zero);
    CHECK_CUDA(cudaGraphGetEdges(graph, NULL, NULL, &edges));
    CHECK_EQUAL(edges, 4);
    CHECK_CUDA(cudaGraphNodeGetType(called, &type));
    CHECK_EQUAL(type, cudaGraphNodeTypeHost);

    CHECK_CUDA(cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    for (int i = 1; i <= 2; i++) {
        memset(host, 0, sizeof host);
        CHECK_CUDA(cudaGraphLaunch(ready, 0));
        CHECK_CUDA(cudaStreamSynchronize(0));
        CHECK_EQUAL(host[N - 1], 3 * (0x01020304 + 5));
        CHECK_EQUAL(calls, i);
    }

    // other arguments in the executable graph, then all from a changed graph
    by = 7;
    launch = launch_of((void *)add, add_args);
    CHECK_CUDA(cudaGraphExecKernelNodeSetParams(ready, added, &launch));
    CHECK_CUDA(cudaGraphNodeSetEnabled(ready, called, 0));
    CHECK_CUDA(cudaGraphLaunch(ready, 0));
    CHECK_EQUAL(host[0], 3 * (0x01020304 + 7));
    CHECK_EQUAL(calls, 2);
    set.value = 1000;
    CHECK_CUDA(cudaGraphMemsetNodeSetParams(zero, &set));
    cudaGraphExecUpdateResultInfo info;
    CHECK_CUDA(cudaGraphExecUpdate(ready, graph, &info));
    CHECK_CUDA(cudaGraphLaunch(ready, 0));
    CHECK_EQUAL(host[0], 3 * 1005);

    CHECK_CUDA(cudaGraphClone(&clone, graph));
    CHECK_CUDA(cudaGraphNodeFindInClone(&back, called, clone));
    CHECK_CUDA(cudaGraphDestroyNode(back));
    CHECK_EQUAL(cudaGraphExecUpdate(ready, clone, &info),
                cudaErrorGraphExecUpdateFailure);
    CHECK_EQUAL(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    CHECK_CUDA(cudaGraphAddDependencies(graph, &called, &zero, 1)); // a circle
    CHECK_CUDA(cudaGraphExecDestroy(ready));
    CHECK_EQUAL(cudaGraphInstantiate(&ready, graph, 0), cudaErrorInvalidValue);
    cudaGetLastError();
    CHECK_CUDA(cudaGraphDestroy(clone));
    CHECK_CUDA(cudaGraphDestroy(child));
    CHECK_CUDA(cudaGraphDestroy(graph));
    CHECK_CUDA(cudaFree(x));
}
