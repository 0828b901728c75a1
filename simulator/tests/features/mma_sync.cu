#include "cases.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// feature: mma.sync m16n8k4, k8, k16: half, bfloat16, TF32; sums in float and
// half
// counted only: inline PTX needs clang

enum { M = 16, N = 8 };

/* What a type needs of the test: its bits, and how many fit a register. */
__device__ unsigned bits(half x)
{
    return __half_as_ushort(x);
}

__device__ unsigned bits(__nv_bfloat16 x)
{
    return __bfloat16_as_ushort(x);
}

__device__ unsigned bits(float x)
{
    return __float_as_uint(x);
}

/** Elements column, column + 1 ... of a row, in one register. */
template <class T>
__device__ unsigned packed(const T *row, int column)
{
    unsigned result = bits(row[column]);
    if (sizeof(T) == 2)
        result |= bits(row[column + 1]) << 16;
    return result;
}

/** Registers of a (row-major) and b (column-major), as the PTX manual has it.
 */
template <class T, int K>
__device__ void load(const T *a, const T *b, unsigned ra[4], unsigned rb[2])
{
    int p = 4 / sizeof(T), group = threadIdx.x / 4, in_group = threadIdx.x % 4;
    for (int i = 0; i < 4; i++) {
        int row = group + i % 2 * 8, column = in_group * p + i / 2 * 4 * p;
        ra[i] = column < K ? packed(a + row * K, column) : 0;
    }
    for (int i = 0; i < 2; i++) {
        int row = in_group * p + i * 4 * p;
        rb[i] = row < K ? packed(b + group * K, row) : 0;
    }
}

#define A2 "{%4,%5}, {%6}, {%7,%8,%9,%10};"
#define A4 "{%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
#define MMA2(name)                                                             \
    asm volatile("mma.sync.aligned." name ".f32 {%0,%1,%2,%3}, " A2            \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])              \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]),      \
                   "f"(c[2]), "f"(c[3]))
#define MMA4(name)                                                             \
    asm volatile("mma.sync.aligned." name ".f32 {%0,%1,%2,%3}, " A4            \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])              \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),      \
                   "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]))

template <class T, int K>
struct tensor;
#define TENSOR(T, K, mma)                                                      \
    template <>                                                                \
    struct tensor<T, K> {                                                      \
        static __device__ void run(float *d, unsigned *a, unsigned *b,         \
                                   float *c)                                   \
        {                                                                      \
            mma;                                                               \
        }                                                                      \
    };
TENSOR(half, 8, MMA2("m16n8k8.row.col.f32.f16.f16"))
TENSOR(half, 16, MMA4("m16n8k16.row.col.f32.f16.f16"))
TENSOR(__nv_bfloat16, 8, MMA2("m16n8k8.row.col.f32.bf16.bf16"))
TENSOR(__nv_bfloat16, 16, MMA4("m16n8k16.row.col.f32.bf16.bf16"))
TENSOR(float, 4, MMA2("m16n8k4.row.col.f32.tf32.tf32"))
TENSOR(float, 8, MMA4("m16n8k8.row.col.f32.tf32.tf32"))

template <class T, int K>
__global__ void multiply(const T *a, const T *b, float *c)
{
    unsigned ra[4], rb[2];
    float rc[4], rd[4];
    load<T, K>(a, b, ra, rb);
    for (int i = 0; i < 4; i++)
        rc[i] =
            c[(threadIdx.x / 4 + i / 2 * 8) * N + threadIdx.x % 4 * 2 + i % 2];
    tensor<T, K>::run(rd, ra, rb, rc);
    for (int i = 0; i < 4; i++)
        c[(threadIdx.x / 4 + i / 2 * 8) * N + threadIdx.x % 4 * 2 + i % 2] =
            rd[i];
}

/** Sums in half: two registers of c, which are those of d, too. */
__global__ void multiply_half(const half *a, const half *b, half *c)
{
    unsigned ra[4], rb[2], *pairs = (unsigned *)c;
    int at = threadIdx.x / 4 * 4 + threadIdx.x % 4;
    load<half, 16>(a, b, ra, rb);
    unsigned rc[2] = {pairs[at], pairs[at + 8 * 4]};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                 "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                 : "+r"(rc[0]), "+r"(rc[1])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]),
                   "r"(rb[1]));
    pairs[at] = rc[0];
    pairs[at + 8 * 4] = rc[1];
}

/** A small integer, or a random number that the type holds. */
template <class T>
float element(bool random)
{
    float x = random ? rand() * 2.0f / (float)RAND_MAX - 1 : rand() % 17 - 8;
    if (sizeof(T) == 4) { // what tensor cores see of a float
        unsigned seen;
        memcpy(&seen, &x, 4);
        seen &= ~0x1fffu;
        memcpy(&x, &seen, 4);
    }
    return x;
}

template <class T, class S>
void check_product(void (*kernel)(const T *, const T *, S *), int K,
                   bool random)
{
    T *a = shared_zeros<T>(M * K), *b = shared_zeros<T>(N * K);
    S *c = shared_zeros<S>(M * N);
    double right[M * N], size[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = T(element<T>(random));
    for (int i = 0; i < N * K; i++)
        b[i] = T(element<T>(random));
    for (int i = 0; i < M * N; i++) {
        c[i] = S(element<float>(random) + 0.5f);
        right[i] = (float)c[i];
        size[i] = fabs(right[i]);
        for (int k = 0; k < K; k++) {
            double product =
                (double)(float)a[i / N * K + k] * (float)b[i % N * K + k];
            right[i] += product;
            size[i] += fabs(product);
        }
    }
    kernel<<<1, 32>>>(a, b, c);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < M * N; i++) // K additions, each cut off at 2^-23
        CHECK(fabs((float)c[i] - right[i]) <=
              (random ? K * 0x1p-23 * size[i] : 0));
}

__global__ void round_to_tf32(const float *in, unsigned *out)
{
    asm("cvt.rna.tf32.f32 %0, %1;"
        : "=r"(out[threadIdx.x])
        : "f"(in[threadIdx.x]));
}

CASE(mma_sync)
{
    for (bool random : {false, true}) {
        check_product(multiply<half, 8>, 8, random);
        check_product(multiply<half, 16>, 16, random);
        check_product(multiply<__nv_bfloat16, 8>, 8, random);
        check_product(multiply<__nv_bfloat16, 16>, 16, random);
        check_product(multiply<float, 4>, 4, random);
        check_product(multiply<float, 8>, 8, random);
    }
    check_product(multiply_half, 16, false); // below 1024 half holds a half
    float *x = shared_zeros<float>(3);
    unsigned *y = shared_zeros<unsigned>(3);
    x[0] = 1 + 0x1p-11f; // halfway: away from zero
    x[1] = -1 - 0x1p-11f + 0x1p-23f;
    x[2] = 3;
    round_to_tf32<<<1, 3>>>(x, y);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(y[0], 0x3f802000);
    CHECK_EQUAL(y[1], 0xbf800000);
    CHECK_EQUAL(y[2], 0x40400000);
}
