// Pointers that leave an array of one thread: one walks over its end, one
// lands behind it, one before it.

#include <cuda_runtime.h>

__global__ void walk(int n, int *out)
{
    int squares[8], *p = squares, sum = 0;
    for (int i = 0; i < n; i++)
        *p++ = i * i; // expect: array-bounds
                      // says: write of squares
                      // says: 4 bytes at byte 32 of its 32
    for (int i = 0; i < 8; i++)
        sum += squares[i];
    out[threadIdx.x] = sum;
}

__global__ void jump(int n, int *out)
{
    int small[4] = {1, 2, 3, 4};
    const int *p = n & 1 ? small : small + 2;
    out[threadIdx.x] = p[n]; // expect: array-bounds
}

__global__ void back(int n, float4 *out)
{
    float4 rows[4];
    for (int i = 0; i < 4; i++)
        rows[i] = make_float4(i, n, 0, 0);
    const float4 *p = &rows[1];
    out[threadIdx.x] = p[-n]; // expect: array-bounds
                              // says: 16 bytes at byte -16 of its 64
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
#ifdef RIGHT
    walk<<<1, 32>>>(8, (int *)room());
#else
    walk<<<1, 32>>>(9, (int *)room());
#endif
    cudaDeviceSynchronize();
#ifdef RIGHT
    jump<<<1, 32>>>(1, (int *)room());
#else
    jump<<<1, 32>>>(2, (int *)room());
#endif
    cudaDeviceSynchronize();
#ifdef RIGHT
    back<<<1, 32>>>(1, room());
#else
    back<<<1, 32>>>(2, room());
#endif
    cudaDeviceSynchronize();
    return 0;
}
