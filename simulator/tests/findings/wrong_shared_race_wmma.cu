// Two warps fill a tile, each loads all of it as a matrix, and no barrier is in
// between.
// consequence: uninitialised-shared

#include <mma.h>

using namespace nvcuda;

__global__ void load(float *out)
{
    __shared__ alignas(32) __half tile[16][16];
    for (int i = 0; i < 4; i++) {
        int at = threadIdx.x * 4 + i;
        tile[at / 16][at % 16] = __int2half_rn(at); // expect-one: shared-race
    }
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::load_matrix_sync(f, &tile[0][0], 16); // expect-one: shared-race
    out[threadIdx.x] = __half2float(f.x[0]);
}

int main()
{
    float *out;
    cudaMalloc((void **)&out, 64 * sizeof(float));
    load<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
