#include "cases.h"
#include <math.h>
#include <mma.h>
#include <stdlib.h>
#include <type_traits>

// feature: nvcuda::wmma: half, bfloat16, TF32, 8-bit integers; 16x16x16,
// 32x8x16, 8x32x16, 16x16x8; rows and columns, global and shared memory, sums
// in float and half

using namespace nvcuda;

enum { MOST = 32 * 48 }; // elements of a matrix with its pitch

/** The type of elements in memory. */
template <class T>
struct stored {
    typedef T type;
};
template <>
struct stored<wmma::precision::tf32> {
    typedef float type;
};

/** Of an element in a matrix whose pitch is 48. */
__host__ __device__ int position(bool by_rows, int row, int column)
{
    return by_rows ? row * 48 + column : column * 48 + row;
}

/** d = a * b + 2 * c; through shared memory or not. */
template <int M, int N, int K, class T, class S, class LA, class LB>
__global__ void multiply(const typename stored<T>::type *a,
                         const typename stored<T>::type *b, const S *c, S *d,
                         wmma::layout_t layout, bool shared)
{
    typedef typename stored<T>::type element;
    __shared__ alignas(32) element as[MOST], bs[MOST];
    __shared__ alignas(32) S cs[MOST];
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> fc, fd;
    for (int i = threadIdx.x; shared && i < MOST; i += 32) {
        as[i] = a[i];
        bs[i] = b[i];
        cs[i] = c[i];
    }
    __syncthreads(); // all is there
    wmma::load_matrix_sync(fa, shared ? as : a, 48);
    wmma::load_matrix_sync(fb, shared ? bs : b, 48);
    wmma::load_matrix_sync(fc, shared ? cs : c, 48, layout);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] = fc.x[i] * S(2.0f);
    wmma::fill_fragment(fd, S(7.0f));
    wmma::mma_sync(fd, fa, fb, fc);
    __syncthreads(); // all have loaded c
    wmma::store_matrix_sync(shared ? cs : d, fd, 48, layout);
    __syncthreads(); // all have stored d
    for (int i = threadIdx.x; shared && i < MOST; i += 32)
        d[i] = cs[i];
}

/** A small integer, or any number. */
template <class T>
T number(bool random)
{
    const bool is_unsigned = std::is_unsigned<T>::value;
    if constexpr (sizeof(T) == 8)
        return random ? rand() / 3.0 - rand() : rand() % 9 - 4;
    float x = !random          ? rand() % 9 - 4 * !is_unsigned
              : sizeof(T) == 1 ? rand() % 256 - 128 * !is_unsigned
                               : rand() * 2.0f / (float)RAND_MAX - 1;
    return T(x);
}

double value(double x)
{
    return x;
}

template <class T>
double value(T x)
{
    return (float)x;
}

/** Compare with sums in double. On integers there is no error. */
template <int M, int N, int K, class T, class S, class LA, class LB>
void check_product(wmma::layout_t layout, bool shared, bool random)
{
    typedef typename stored<T>::type element;
    const bool a_by_rows = std::is_same<LA, wmma::row_major>::value;
    const bool b_by_rows = std::is_same<LB, wmma::row_major>::value;
    element *a = shared_zeros<element>(MOST), *b = shared_zeros<element>(MOST);
    S *c = shared_zeros<S>(MOST), *d = shared_zeros<S>(MOST);
    for (int i = 0; i < MOST; i++) {
        a[i] = number<element>(random);
        b[i] = number<element>(random);
        c[i] = sizeof(S) == 8 ? number<S>(random) : S((float)(rand() % 9 - 4));
    }
    multiply<M, N, K, T, S, LA, LB><<<1, 32>>>(a, b, c, d, layout, shared);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            int at = position(layout == wmma::mem_row_major, row, column);
            double right = 2 * value(c[at]), size = fabs(right);
            for (int k = 0; k < K; k++) {
                double x = value(a[position(a_by_rows, row, k)]);
                double y = value(b[position(b_by_rows, k, column)]);
                right = fma(x, y, right);
                size += fabs(x * y);
            }
            /* K sums in float; S may be half; TF32 cuts 13 bits off a and b;
             * each product of doubles is added with one rounding. */
            double bound = K * 0x1p-23 + (sizeof(S) == 2 ? 0x1p-10 : 0) +
                           (sizeof(element) == 4 ? 0x1p-9 : 0);
            CHECK(fabs(value(d[at]) - right) <=
                  (random && sizeof(S) < 8 ? bound * size : 0));
        }
}

template <int M, int N, int K, class T, class S>
void check_layouts()
{
    typedef wmma::row_major row;
    typedef wmma::col_major col;
    for (int i = 0; i < 8; i++) {
        wmma::layout_t layout =
            i & 1 ? wmma::mem_row_major : wmma::mem_col_major;
        check_product<M, N, K, T, S, row, row>(layout, i & 2, i & 4);
        check_product<M, N, K, T, S, row, col>(layout, i & 2, i & 4);
        check_product<M, N, K, T, S, col, row>(layout, i & 2, i & 4);
        check_product<M, N, K, T, S, col, col>(layout, i & 2, i & 4);
    }
}

template <class T, class S>
void check_shapes()
{
    check_layouts<16, 16, 16, T, S>();
    check_layouts<32, 8, 16, T, S>();
    check_layouts<8, 32, 16, T, S>();
}

CASE(tensor_cores)
{
    check_shapes<half, float>();
    check_shapes<half, half>();
    check_shapes<__nv_bfloat16, float>();
    check_layouts<16, 16, 8, wmma::precision::tf32, float>();
    check_shapes<signed char, int>();
    check_shapes<unsigned char, int>();
    CHECK_EQUAL(
        (wmma::fragment<wmma::accumulator, 16, 16, 16, float>::num_elements),
        8);
    CHECK_EQUAL((wmma::fragment<wmma::matrix_a, 16, 16, 16, half,
                                wmma::row_major>::num_elements),
                16);
    CHECK_EQUAL((wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16,
                                wmma::row_major>::num_elements),
                4);
}

// feature: nvcuda::wmma of double: 8x8x4, each product is added with one
// rounding

CASE(tensor_cores_double)
{
    check_layouts<8, 8, 4, double, double>();
}

// feature: mma_sync that saturates: integers, infinities, NaN

template <class T, class S>
__global__ void saturate(T x, S before, S *after)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, S> c;
    wmma::fill_fragment(a, x);
    wmma::fill_fragment(b, x);
    wmma::fill_fragment(c, before);
    wmma::mma_sync(c, a, b, c, true);
    if (threadIdx.x == 0)
        *after = c.x[0];
}

CASE(tensor_cores_saturate)
{
    int *whole = zeros<int>(1);
    float *real = zeros<float>(1);
    saturate<signed char, int><<<1, 32>>>(100, 0x7fffff00, whole);
    CHECK_EQUAL(fetch(whole), 0x7fffffff);
    saturate<half, float><<<1, 32>>>(half(1.0f), -INFINITY, real);
    CHECK_EQUAL(fetch(real), -3.402823466e38f);
    saturate<half, float><<<1, 32>>>(half(1.0f), NAN, real);
    CHECK_EQUAL(fetch(real), 16 - 1); /* 0 after the first product */
}
