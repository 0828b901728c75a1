// The launch asks for less dynamic shared memory than the kernel uses.

#include <cuda_runtime.h>

__global__ void copy(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x; // expect: array-bounds
    __syncthreads();              // the array is complete
    out[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 64 * sizeof(int));
    copy<<<1, 64, 63 * sizeof(int)>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
