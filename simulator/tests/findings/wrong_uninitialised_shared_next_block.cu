// Only the first block fills the array. Shared memory of the next block is not
// the first one's, even where the hardware left its values behind.

#include <cuda_runtime.h>

__global__ void copy(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        s[t] = t;
    __syncwarp();                    // the array is complete in block 0
    out[blockIdx.x * 32 + t] = s[t]; // expect: uninitialised-shared
}

int main()
{
    int *out;
    cudaMalloc((void **)&out, 2 * 32 * sizeof(int));
    copy<<<2, 32>>>(out);
    return cudaDeviceSynchronize();
}
