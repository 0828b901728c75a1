// A structure that nobody has written is copied, and a float4 of which only
// three parts are there.

#include <cuda_runtime.h>

struct __align__(16) point
{
    float x, y, z;
};

__global__ void copies(point *p, float4 *out)
{
    __shared__ float4 tile[32];
    int t = threadIdx.x;
    p[t + 32] = p[t]; // expect: uninitialised-global
    tile[t].x = tile[t].y = tile[t].z = t;
    out[t] = tile[t]; // expect: uninitialised-shared
}

int main()
{
    point *p;
    float4 *out;
    cudaMalloc((void **)&p, 64 * sizeof *p);
    cudaMalloc((void **)&out, 32 * sizeof *out);
    copies<<<1, 32>>>(p, out);
    return cudaDeviceSynchronize();
}
