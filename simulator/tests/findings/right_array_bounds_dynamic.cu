// Two arrays carved out of the dynamic shared memory fill it exactly.

#include <cuda_runtime.h>

__global__ void copy(int *out)
{
    extern __shared__ int s[];
    int *squares = s + blockDim.x, t = threadIdx.x;
    s[t] = t;
    squares[t] = t * t;
    __syncthreads(); // both arrays are complete
    out[t] = s[63 - t] + squares[63 - t];
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 64 * sizeof(int));
    copy<<<1, 64, 2 * 64 * sizeof(int)>>>(out);
    return cudaDeviceSynchronize();
}
