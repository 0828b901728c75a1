// The third number of the launch is missing: there is no dynamic memory at all.
// says: the launch gave 0 bytes

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
    copy<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    return 0;
}
