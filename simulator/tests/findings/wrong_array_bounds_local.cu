// An array of one thread, overrun by an index from memory.

#include <cuda_runtime.h>

__global__ void pick(const int *index, int *out)
{
    int squares[8];
    for (int i = 0; i < 8; i++)
        squares[i] = i * i;
    out[threadIdx.x] = squares[index[threadIdx.x]]; // expect: array-bounds
}

int main()
{
    int *index, *out, h[32];
    for (int i = 0; i < 32; i++)
        h[i] = i < 31 ? i % 8 : 8;
    cudaMalloc((void **)&index, sizeof h);
    cudaMalloc((void **)&out, sizeof h);
    cudaMemcpy(index, h, sizeof h, cudaMemcpyHostToDevice);
    pick<<<1, 32>>>(index, out);
    cudaDeviceSynchronize();
    return 0;
}
