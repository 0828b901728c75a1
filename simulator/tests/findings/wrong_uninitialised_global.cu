// cudaMalloc gives memory, not zeros.

#include <cuda_runtime.h>

__global__ void count(int *total)
{
    int before = *total; // expect: uninitialised-global
    *total = before + 1;
}

#ifdef RIGHT
__global__ void sum(const int *a, const int *b, const int *c, int *out)
{
    out[0] = a[0] + b[0] + c[0];
}

#endif
int main()
{
#ifdef RIGHT
    int *a, *b, *c, one = 1;
    cudaMalloc((void **)&a, sizeof(int));
    cudaMalloc((void **)&b, sizeof(int));
    cudaMalloc((void **)&c, sizeof(int));
    cudaMemset(a, 0, sizeof(int));
    cudaMemcpy(b, &one, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(c, b, sizeof(int), cudaMemcpyDeviceToDevice);
    count<<<1, 1>>>(a);
    sum<<<1, 1>>>(a, b, c, a);
#else
    int *total;
    cudaMalloc((void **)&total, sizeof(int));
    count<<<1, 1>>>(total);
#endif
    return cudaDeviceSynchronize();
}
