// Half of the warp loads a matrix, the other half skips it: tensor cores need
// all 32 lanes.

#include <mma.h>

using namespace nvcuda;

__global__ void load(const __half *a, float *out, int lanes)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::fill_fragment(f, __float2half(0));
    if (threadIdx.x >= lanes)
        return;
    wmma::load_matrix_sync(f, a, 16); // expect: warp-divergence
    out[threadIdx.x] = __half2float(f.x[0]);
}

int main()
{
    __half *a;
    float *out;
    cudaMalloc((void **)&a, 256 * sizeof(__half));
    cudaMalloc((void **)&out, 32 * sizeof(float));
    cudaMemset(a, 0, 256 * sizeof(__half));
#ifdef RIGHT
    load<<<1, 32>>>(a, out, 32);
    return cudaDeviceSynchronize() != cudaSuccess;
#else
    load<<<1, 32>>>(a, out, 16);
    return cudaDeviceSynchronize() == cudaSuccess;
#endif
}
