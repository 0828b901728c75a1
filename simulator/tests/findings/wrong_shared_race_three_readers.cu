// Three warps read a word that a fourth one writes. Two slots for readers are
// enough to see it: the writer differs from at least one of them.

#include <cuda_runtime.h>

__global__ void overwrite(int *out)
{
    __shared__ int value;
    int t = threadIdx.x;
    if (t == 0)
        value = 1;
    __syncthreads(); // the first value is there
    if (t < 96)
        out[t] = value; // expect-one: shared-race
#ifdef RIGHT
    __syncthreads(); // all have read it
    if (t == 96)
#else
    else if (t == 96)
#endif
        value = 2; // expect-one: shared-race
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 128 * sizeof(int));
    overwrite<<<1, 128>>>(out);
    return cudaDeviceSynchronize();
}
