// A pointer that lands far past the end of the last shared array.

#include <cuda_runtime.h>

__global__ void reach(const int *distance, int *out)
{
    __shared__ int a[32];
    a[threadIdx.x] = 1;
    __syncwarp(); // the array is complete
    int *p = a;
    out[threadIdx.x] = p[threadIdx.x + *distance]; // expect: array-bounds
}

int main()
{
    int *distance, *out, value = 150;
    cudaMalloc((void **)&distance, sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemcpy(distance, &value, sizeof(int), cudaMemcpyHostToDevice);
    reach<<<1, 32>>>(distance, out);
    cudaDeviceSynchronize();
    return 0;
}
