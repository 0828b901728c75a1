// Host code that does what it may not, one place for each argument.

#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

__device__ float total;
__constant__ float table[4];
__managed__ float both;

__global__ void fill(float *x)
{
    x[threadIdx.x] = 1 + table[0]; // called with threadIdx
    if (threadIdx.x == 0)
        total = both = 2;
}

__global__ void only_waits(float *)
{
    __syncthreads();
}

int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0;
    float *d, *m, here[4] = {0}, sum = 0;
    if (which == 13)
        total = 1; // write total first
    cudaMalloc(&d, 32 * sizeof(float));
    cudaMallocManaged(&m, 32 * sizeof(float));
    if (which == 12)
        cudaFree(here); // free here
    m[3] = 1;           // right: no kernel runs
    fill<<<1, 32>>>(d);
    fill<<<1, 32>>>(m);
    if (which == 1)
        sum = d[3]; // read d[3]
    if (which == 2)
        d[4] = 1; // write d[4]
    if (which == 3)
        memcpy(here, d + atoi("5"), 4 * sizeof(float)); // memcpy d[5]
    if (which == 4)
        sum = total; // read total
    if (which == 5)
        table[1] = 1; // write table
    if (which == 6)
        sum = m[7]; // read m[7] too early
    if (which == 8)
        sum = both; // read both too early
    cudaDeviceSynchronize();
    sum += both;
    sum += m[7]; // right: the kernels have ended
    cudaMemcpyFromSymbol(&here[0], total, sizeof(float));
    cudaMemcpy(&here[1], d, sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; which == 9 && i < 1000; i++)
        fill<<<1, 32>>>(d);
    if (which == 9)
        sum += d[6]; // read after many launches
    if (which == 10) {
        cudaMalloc(&m, 8 * sizeof(float));
        cudaMemcpy(here, m, sizeof here, cudaMemcpyDeviceToHost); // copy m
        here[0] = 2, here[1] = 1;
    }
    cudaFree(d);
    if (which == 7)
        sum += d[0]; // read freed
    if (which == 11)
        cudaFree(d); // free twice
    void (*kernel)(float *) = which == 15 ? fill : only_waits;
    if (which >= 14)
        kernel(NULL); // call a kernel
    return sum < 0 || here[0] != 2 || here[1] != 1;
}
