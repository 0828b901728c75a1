// What a copy, a memset or a kernel has written may be read.

#include <cuda_runtime.h>

__global__ void count(int *total)
{
    int before = *total;
    *total = before + 1;
}

__global__ void sum(const int *a, const int *b, const int *c, int *out)
{
    out[0] = a[0] + b[0] + c[0];
}

int main()
{
    int *a, *b, *c, one = 1;
    cudaMalloc((void **)&a, sizeof(int));
    cudaMalloc((void **)&b, sizeof(int));
    cudaMalloc((void **)&c, sizeof(int));
    cudaMemset(a, 0, sizeof(int));
    cudaMemcpy(b, &one, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(c, b, sizeof(int), cudaMemcpyDeviceToDevice);
    count<<<1, 1>>>(a);
    sum<<<1, 1>>>(a, b, c, a);
    return cudaDeviceSynchronize();
}
