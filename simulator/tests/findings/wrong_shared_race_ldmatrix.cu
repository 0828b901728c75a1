// ldmatrix reads 32 rows that two warps have written, without a barrier: half
// of them are the other warp's.
// consequence: uninitialised-shared

#include <cuda_runtime.h>

__global__ void load(uint4 *out)
{
    __shared__ uint4 rows[64];
    int t = threadIdx.x;
    rows[t] = make_uint4(t, t, t, t); // expect-one: shared-race
    uint4 r;
    unsigned row = (unsigned)__cvta_generic_to_shared(&rows[t ^ 32]);
    asm volatile( // expect-one: shared-race
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
        : "r"(row));
    out[t] = r;
}

int main()
{
    uint4 *out;
    cudaMalloc((void **)&out, 64 * sizeof(uint4));
    load<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
