// The launch asks for less dynamic shared memory than the kernel uses.

#include <cuda_runtime.h>

__global__ void copy(int *out)
{
    extern __shared__ int s[];
#ifdef RIGHT
    int *squares = s + blockDim.x, t = threadIdx.x;
    s[t] = t;
    squares[t] = t * t;
    __syncthreads(); // both arrays are complete
    out[t] = s[63 - t] + squares[63 - t];
#else
    s[threadIdx.x] = threadIdx.x; // expect: array-bounds
    __syncthreads();              // the array is complete
    out[threadIdx.x] = s[threadIdx.x];
#endif
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 64 * sizeof(int));
#ifdef RIGHT
    copy<<<1, 64, 2 * 64 * sizeof(int)>>>(out);
    return cudaDeviceSynchronize();
#else
    copy<<<1, 64, 63 * sizeof(int)>>>(out);
    cudaDeviceSynchronize();
    return 0;
#endif
}
