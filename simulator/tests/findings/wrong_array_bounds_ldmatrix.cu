// Lanes 24 to 31 name rows past the end of the array.

#include <cuda_runtime.h>

__global__ void load(uint4 *out)
{
    __shared__ uint4 rows[24];
    int t = threadIdx.x;
    if (t < 24)
        rows[t] = make_uint4(t, t, t, t);
    __syncthreads();
    uint4 r;
    unsigned row = (unsigned)__cvta_generic_to_shared(&rows[0]) + 16 * t;
    asm volatile( // expect: array-bounds
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
        : "r"(row));
    out[t] = r;
}

int main()
{
    uint4 *out;
    cudaMalloc((void **)&out, 32 * sizeof(uint4));
    load<<<1, 32>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess;
}
