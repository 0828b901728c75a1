/**
 * @file mma.h
 * @brief nvcuda::wmma: matrices in the registers of a warp, for tensor cores.
 *
 * Half, bfloat16 and TF32, sums in float or half; 8-bit integers, sums in int;
 * double.
 * runtime/core/wmma.c does it.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace nvcuda
{
namespace wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;

namespace precision
{
struct tf32;
}

enum layout_t { mem_row_major, mem_col_major };

/* ---- what there is ------------------------------------------------------- */

/** A type's format, and the type of its elements in registers and memory. */
template <class T>
struct sim_element {
    static_assert(sizeof(T *) == 0,
                  "CUDA: the simulator has fragments of half, __nv_bfloat16, "
                  "precision::tf32, float, double, signed and unsigned char, "
                  "int");
};
#define SIM_ELEMENT(T, Type, value)                                            \
    template <>                                                                \
    struct sim_element<T> {                                                    \
        typedef Type type;                                                     \
        enum { format = value };                                               \
    };
SIM_ELEMENT(__half, __half, SIM_HALF)
SIM_ELEMENT(__nv_bfloat16, __nv_bfloat16, SIM_BFLOAT16)
SIM_ELEMENT(precision::tf32, float, SIM_TF32)
SIM_ELEMENT(float, float, SIM_FLOAT)
SIM_ELEMENT(double, double, SIM_DOUBLE)
SIM_ELEMENT(signed char, signed char, SIM_S8)
SIM_ELEMENT(unsigned char, unsigned char, SIM_U8)
SIM_ELEMENT(int, int, SIM_S32)
#undef SIM_ELEMENT

template <class Use>
struct sim_part;
#define SIM_PART(Use, value)                                                   \
    template <>                                                                \
    struct sim_part<Use> {                                                     \
        enum { part = value };                                                 \
    };
SIM_PART(matrix_a, SIM_MATRIX_A)
SIM_PART(matrix_b, SIM_MATRIX_B)
SIM_PART(accumulator, SIM_ACCUMULATOR)
#undef SIM_PART

/** Are there tensor cores for matrices of this shape and format? */
constexpr bool sim_is_shape(int part, int format, int m, int n, int k)
{
    bool tf32 = m == 16 && n == 16 && k == 8;
    bool small = k == 16 && m * n == 256 && (m == 8 || m == 16 || m == 32);
    if (format == SIM_DOUBLE)
        return m == 8 && n == 8 && k == 4;
    if (part == SIM_ACCUMULATOR)
        return format == SIM_FLOAT
                   ? tf32 || small
                   : (format == SIM_HALF || format == SIM_S32) && small;
    bool sums = format == SIM_FLOAT || format == SIM_S32;
    return format == SIM_TF32 ? tf32 : !sums && small;
}

/** Elements of a lane. Those of half are there twice and more, as on a GPU. */
constexpr int sim_elements(int part, int format, int m, int n, int k)
{
    if (part == SIM_ACCUMULATOR)
        return m * n / 32;
    return format == SIM_HALF ? 16 : (part == SIM_MATRIX_A ? m : n) * k / 32;
}

/* ---- fragments ----------------------------------------------------------- */

/** Which element of x is where in the matrix is left open. */
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment
{
  public:
    typedef T element_type;
    typedef typename sim_element<T>::type storage_element_type;
    static_assert(sim_is_shape(sim_part<Use>::part, sim_element<T>::format, m,
                               n, k),
                  "CUDA: there is no fragment of this shape and type");

    enum {
        num_elements =
            sim_elements(sim_part<Use>::part, sim_element<T>::format, m, n, k),
        num_storage_elements = num_elements
    };
    storage_element_type x[num_elements];

    /** What the runtime needs to know. */
    SIM_METHOD static sim_fragment kind()
    {
        return {sim_part<Use>::part, sim_element<T>::format, m, n, k,
                num_elements};
    }
};

/** Round to the 10 bits of fraction that TF32 has. */
SIM_IS(float, __float_to_tf32, (float x), sim_to_tf32(x))

template <class Use, int m, int n, int k, class T, class Layout>
SIM_INLINE void fill_fragment(fragment<Use, m, n, k, T, Layout> &f,
                              const typename sim_element<T>::type &value)
{
#pragma GCC unroll 16
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = value;
}

/* ---- loads and stores ---------------------------------------------------- */

/** a or b: its layout in memory is a part of the type. */
#define SIM_LOAD_MATRIX(layout, columns)                                       \
    template <class Use, int m, int n, int k, class T>                         \
    SIM_INLINE void load_matrix_sync(fragment<Use, m, n, k, T, layout> &f,     \
                                     const typename sim_element<T>::type *p,   \
                                     unsigned pitch, SIM_PLACE)                \
    {                                                                          \
        sim_fragment kind = f.kind();                                          \
        sim_matrix_load(&kind, f.x, p, pitch, columns, SIM_AT, 0);             \
    }
SIM_LOAD_MATRIX(row_major, false)
SIM_LOAD_MATRIX(col_major, true)
#undef SIM_LOAD_MATRIX

template <int m, int n, int k, class T>
SIM_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T> &f,
                                 const typename sim_element<T>::type *p,
                                 unsigned pitch, layout_t layout, SIM_PLACE)
{
    sim_fragment kind = f.kind();
    sim_matrix_load(&kind, f.x, p, pitch, layout == mem_col_major, SIM_AT, 0);
}

template <int m, int n, int k, class T>
SIM_INLINE void store_matrix_sync(typename sim_element<T>::type *p,
                                  const fragment<accumulator, m, n, k, T> &f,
                                  unsigned pitch, layout_t layout, SIM_PLACE)
{
    sim_fragment kind = f.kind();
    sim_matrix_store(&kind, f.x, p, pitch, layout == mem_col_major, SIM_AT, 0);
}

/* ---- products ------------------------------------------------------------ */

/** Are sums of this format made of products of that one? */
constexpr bool sim_fits(int sum, int format)
{
    bool integers = format == SIM_S8 || format == SIM_U8;
    return sum == SIM_S32     ? integers
           : sum == SIM_FLOAT ? !integers && format != SIM_DOUBLE
                              : sum == format;
}

/** d = a * b + c. @param saturate  infinities become the largest numbers and
 * NaN 0; sums of integers do not wrap around */
template <int m, int n, int k, class D, class T, class A, class B, class C>
SIM_INLINE void mma_sync(fragment<accumulator, m, n, k, D> &d,
                         const fragment<matrix_a, m, n, k, T, A> &a,
                         const fragment<matrix_b, m, n, k, T, B> &b,
                         const fragment<accumulator, m, n, k, C> &c,
                         bool saturate = false, SIM_PLACE)
{
    static_assert(sim_fits(sim_element<C>::format, sim_element<T>::format) &&
                      sim_fits(sim_element<D>::format, sim_element<T>::format),
                  "CUDA: there are no such sums of such products");
    sim_fragment kinds[4] = {a.kind(), b.kind(), c.kind(), d.kind()};
    void *registers[4] = {(void *)a.x, (void *)b.x, (void *)c.x, d.x};
    sim_matrix_multiply(kinds, registers, saturate, SIM_AT, 0);
}

} // namespace wmma
} // namespace nvcuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
