#include "cases.h"
#include <stdint.h>

// feature: graphs: capture a stream, instantiate, launch again and again

__global__ void add(int *x, int n)
{
    atomicAdd(x, n);
}

CASE(graphs)
{
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    int *x = zeros<int>(1), h = -1;
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    CHECK_CUDA(cudaStreamIsCapturing(stream, &status));
    CHECK_EQUAL(status, cudaStreamCaptureStatusActive);
    add<<<1, 32, 0, stream>>>(x, 1);
    add<<<1, 32, 0, stream>>>(x, 2);
    CHECK_CUDA(
        cudaMemcpyAsync(&h, x, sizeof h, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK_EQUAL(h, -1); // recorded, not done

    CHECK_CUDA(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    CHECK_CUDA(cudaGraphUpload(ready, stream));
    for (int i = 0; i < 3; i++)
        CHECK_CUDA(cudaGraphLaunch(ready, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(h, 3 * 96);
    CHECK_CUDA(cudaGraphExecDestroy(ready));
    CHECK_CUDA(cudaGraphDestroy(graph));

    // The legacy stream cannot be captured, and its work ends a capture.
    CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) ==
          cudaErrorStreamCaptureUnsupported);
    CHECK_CUDA(cudaStreamBeginCapture(cudaStreamPerThread,
                                      cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(x, 0, sizeof h) == cudaErrorStreamCaptureImplicit);
    CHECK(cudaStreamEndCapture(cudaStreamPerThread, &graph) ==
          cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    CHECK(cudaStreamDestroy(cudaStreamPerThread) ==
          cudaErrorInvalidResourceHandle);
}

// feature: captures over several streams: events fork and join, edges are kept

CASE(graph_branches)
{
    int *x = shared_zeros<int>(3);
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t forked = new_event(), joined = new_event();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
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
}

// feature: graphs by hand: nodes of kernels, copies, memsets, functions,
// graphs; edges, clones, updates of an executable graph

enum { N = 64 };

__global__ void add_all(int *x, int n, int by)
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
    int *x = room<int>(N), host[N], n = N, by = 5, factor = 3, calls = 0;
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
    cudaKernelNodeParams launch = launch_of((void *)add_all, add_args);
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
    launch = launch_of((void *)add_all, add_args);
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
    CHECK_CUDA(cudaGraphDestroy(clone));
    CHECK_CUDA(cudaGraphDestroy(child));
}

// feature: memory that graphs allocate: nodes, captured cudaMallocAsync,
// accounts

__global__ void fill(int *x, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = value + i;
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
    cudaKernelNodeParams launch = launch_of((void *)fill, args);
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

    // captured, and freed by the host behind the graph
    int *x;
    cudaStream_t stream = new_stream();
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
    CHECK_CUDA(cudaDeviceGraphMemTrim(0));
}
