// Pointers that walk over an array of one thread, and stay inside.

#include <cuda_runtime.h>

__global__ void walk(int n, int *out)
{
    int squares[8], *p = squares, sum = 0;
    for (int i = 0; i < n; i++)
        *p++ = i * i;
    for (int i = 0; i < 8; i++)
        sum += squares[i];
    out[threadIdx.x] = sum;
}

__global__ void jump(int n, int *out)
{
    int small[4] = {1, 2, 3, 4};
    const int *p = n & 1 ? small : small + 2;
    out[threadIdx.x] = p[n];
}

__global__ void back(int n, float4 *out)
{
    float4 rows[4];
    for (int i = 0; i < 4; i++)
        rows[i] = make_float4(i, n, 0, 0);
    const float4 *p = &rows[1];
    out[threadIdx.x] = p[-n];
}

/** Room for 32 results, after the end of the launch before. */
float4 *room()
{
    float4 *out;
    cudaDeviceReset();
    cudaMalloc(&out, 32 * sizeof *out);
    return out;
}

int main()
{
    walk<<<1, 32>>>(8, (int *)room());
    cudaDeviceSynchronize();
    jump<<<1, 32>>>(1, (int *)room());
    cudaDeviceSynchronize();
    back<<<1, 32>>>(1, room());
    cudaDeviceSynchronize();
    return 0;
}
