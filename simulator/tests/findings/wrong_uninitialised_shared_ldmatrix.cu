// Rows that nobody has written: ldmatrix reads 16 bytes of each, and the loop
// writes 8.

#include <cuda_runtime.h>

__global__ void load(unsigned *out)
{
    __shared__ uint2 rows[8][2];
    if (threadIdx.x < 8)
        rows[threadIdx.x][0] = make_uint2(1, 2);
    __syncthreads();
    unsigned r;
    unsigned row =
        (unsigned)__cvta_generic_to_shared(&rows[threadIdx.x % 8][0]);
    asm volatile( // expect: uninitialised-shared
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
        : "=r"(r)
        : "r"(row));
    out[threadIdx.x] = r;
}

int main()
{
    unsigned *out;
    cudaMalloc((void **)&out, 32 * sizeof(unsigned));
    load<<<1, 32>>>(out);
    return cudaDeviceSynchronize();
}
