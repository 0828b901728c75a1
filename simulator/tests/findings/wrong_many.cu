// Three findings in one program: causes first, each once, with a count.
// consequence: uninitialised-shared

#include <cuda_runtime.h>

__global__ void three(int *x, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    int first = x[t];       // expect: uninitialised-global
    s[t] = first;           // expect-one: shared-race
    int second = s[63 - t]; // expect-one: shared-race
    out[t] = second;        // expect: global-race
}

int main()
{
    int *x, *out;
    cudaMalloc((void **)&x, 64 * sizeof(int));
    cudaMalloc((void **)&out, 64 * sizeof(int));
    three<<<4, 64>>>(x, out);
    three<<<4, 64>>>(x, out);
    return cudaDeviceSynchronize();
}
