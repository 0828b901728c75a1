// A race on one byte of a char array.
// consequence: uninitialised-shared

#include <cuda_runtime.h>

__global__ void shift(const char *in, char *out)
{
    __shared__ char text[64];
    int t = threadIdx.x;
    text[t] = in[t];             // expect-one: shared-race
    out[t] = text[(t + 1) % 64]; // expect-one: shared-race
}

int main()
{
    char *in, *out;
    cudaMalloc((void **)&in, 64);
    cudaMalloc((void **)&out, 64);
    cudaMemset(in, 'a', 64);
    shift<<<1, 64>>>(in, out);
    return cudaDeviceSynchronize();
}
