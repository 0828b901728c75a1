// Lane 15 asks for the value of lane 16, which does not take part: undefined.

#include <cuda_runtime.h>

__global__ void half(int *out)
{
    int t = threadIdx.x, value = t;
    if (t < 16)
        value = __shfl_down_sync(0x0000ffff, value, 1); // expect: *-note
    out[t] = value;
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 32 * sizeof(int));
    half<<<1, 32>>>(out);
    return cudaDeviceSynchronize();
}
