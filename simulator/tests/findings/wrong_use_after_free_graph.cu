// The graph has freed its memory when the kernel behind it reads it.

#include <cuda_runtime.h>

__global__ void add(int *data)
{
    data[threadIdx.x] += 1; // expect: out-of-bounds-global
}

int main()
{
    int *data;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&data, 32 * sizeof(int), stream);
    cudaMemsetAsync(data, 0, 32 * sizeof(int), stream);
    cudaFreeAsync(data, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    add<<<1, 32, 0, stream>>>(data);
    cudaDeviceSynchronize();
    return 0;
}
