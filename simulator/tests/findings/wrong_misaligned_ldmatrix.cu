// A row of ldmatrix begins at a multiple of 16 bytes; a pitch of 9 halves does
// not keep that.

#include <cuda_runtime.h>

__global__ void load(unsigned *out)
{
    __shared__ unsigned short rows[8 * 9];
    for (int i = threadIdx.x; i < 8 * 9; i += 32)
        rows[i] = i;
    __syncthreads();
    unsigned r;
    unsigned row =
        (unsigned)__cvta_generic_to_shared(&rows[threadIdx.x % 8 * 9]);
    asm volatile( // expect: misaligned
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
    return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
}
