/**
 * @file fragments.cu
 * @brief Loads and stores of nvcuda::wmma fragments by one warp, one a launch.
 *
 * Each kernel does nothing else with the memory under test, so its counters in
 * Nsight Compute less its own stores and loads around it are what the access
 * costs. The simulator takes them from nvcc's machine code
 * (runtime/core/wmma.c); a GPU has the last word:
 *
 *     nvcc -std=c++17 -arch=sm_90 fragments.cu -o fragments
 *     ncu --csv --metrics METRICS ./fragments
 *
 * METRICS are the columns of docs/results/h200_fragments.csv, with commas.
 * SIM_REPORT=FILE ./fragments writes the same counters of the simulator.
 */

#include <mma.h>
#include <stdio.h>

using namespace nvcuda;

enum { ELEMENTS = 32 * 72 }; /**< of a matrix with the largest pitch */

/** A fragment's a or b goes through a product, so that it is loaded. */
template <class T, class Layout>
__global__ void load_a(const T *in, float *out, int pitch, bool shared)
{
    __shared__ alignas(32) T tile[ELEMENTS];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, Layout> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(b, T(1.0f));
    wmma::fill_fragment(c, 0.0f);
    if (shared) {
        for (int i = threadIdx.x; i < ELEMENTS; i += 32)
            tile[i] = T(1.0f);
        __syncthreads(); // the stores above before the load below
        wmma::load_matrix_sync(a, tile, pitch);
    } else {
        wmma::load_matrix_sync(a, in, pitch);
    }
    wmma::mma_sync(c, a, b, c);
    out[threadIdx.x] = c.x[0];
}

/** Sums, stored to shared or to global memory. */
template <class S>
__global__ void store(S *out, int pitch, bool shared, wmma::layout_t layout)
{
    __shared__ alignas(32) S tile[ELEMENTS];
    wmma::fragment<wmma::accumulator, 16, 16, 16, S> c;
    wmma::fill_fragment(c, S(1.0f));
    if (shared)
        wmma::store_matrix_sync(tile, c, pitch, layout);
    else
        wmma::store_matrix_sync(out, c, pitch, layout);
    __syncthreads(); // the store above before the load below
    if (shared)
        out[threadIdx.x] = tile[threadIdx.x / 16 * pitch];
}

/** All accesses at one pitch. */
template <class T>
void loads(const T *in, float *out, int pitch)
{
    for (bool shared : {false, true}) {
        load_a<T, wmma::row_major><<<1, 32>>>(in, out, pitch, shared);
        load_a<T, wmma::col_major><<<1, 32>>>(in, out, pitch, shared);
    }
}

template <class S>
void stores(S *out, int pitch)
{
    for (bool shared : {false, true}) {
        store<S><<<1, 32>>>(out, pitch, shared, wmma::mem_row_major);
        store<S><<<1, 32>>>(out, pitch, shared, wmma::mem_col_major);
    }
}

int main()
{
    void *in, *out;
    cudaMalloc(&in, ELEMENTS * 4);
    cudaMalloc(&out, ELEMENTS * 4);
    cudaMemset(in, 0, ELEMENTS * 4);
    for (int pitch : {16, 24, 32, 40, 64, 72}) {
        loads((__half *)in, (float *)out, pitch);
        loads((__nv_bfloat16 *)in, (float *)out, pitch);
        stores((float *)out, pitch);
        stores((__half *)out, pitch);
    }
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
