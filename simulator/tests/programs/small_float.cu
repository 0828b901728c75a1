// Reads numbers from stdin, does one task with each of them in a kernel, writes
// the results to stdout, all in binary: what test_small_float.py looks at.
//
//     small_float half|bfloat16 value|round|calculate|root <in >out

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct triple {
    unsigned short a, b, c;
};

/** Results of one triple, in the order of OPERATIONS of the test. */
struct results {
    unsigned short bits[15];
};

__device__ float value_of(__half x)
{
    return __half2float(x);
}

__device__ float value_of(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

__device__ unsigned short bits_of(__half x)
{
    return __half_as_ushort(x);
}

__device__ unsigned short bits_of(__nv_bfloat16 x)
{
    return __bfloat16_as_ushort(x);
}

__device__ void number(unsigned short bits, __half *x)
{
    *x = __ushort_as_half(bits);
}

__device__ void number(unsigned short bits, __nv_bfloat16 *x)
{
    *x = __ushort_as_bfloat16(bits);
}

__device__ ushort4 rounded(float x, __half)
{
    return make_ushort4(
        bits_of(__float2half_rn(x)), bits_of(__float2half_rz(x)),
        bits_of(__float2half_ru(x)), bits_of(__float2half_rd(x)));
}

__device__ ushort4 rounded(float x, __nv_bfloat16)
{
    return make_ushort4(
        bits_of(__float2bfloat16_rn(x)), bits_of(__float2bfloat16_rz(x)),
        bits_of(__float2bfloat16_ru(x)), bits_of(__float2bfloat16_rd(x)));
}

template <class T>
__global__ void values(const unsigned short *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x;
    if (i < n) {
        number(in[i], &x);
        out[i] = value_of(x);
    }
}

template <class T>
__global__ void round_all(const float *in, ushort4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = rounded(in[i], T());
}

template <class T>
__global__ void calculate(const triple *in, results *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T a, b, c;
    number(in[i].a, &a);
    number(in[i].b, &b);
    number(in[i].c, &c);
    unsigned short *bits = out[i].bits;
    bits[0] = bits_of(__hadd(a, b));
    bits[1] = bits_of(__hsub(a, b));
    bits[2] = bits_of(__hmul(a, b));
    bits[3] = bits_of(__hdiv(a, b));
    bits[4] = bits_of(__hfma(a, b, c));
    bits[5] = bits_of(__hadd_sat(a, b));
    bits[6] = bits_of(__hfma_relu(a, b, c));
    bits[7] = bits_of(__hmin(a, b));
    bits[8] = bits_of(__hmax(a, b));
    bits[9] = bits_of(__hmin_nan(a, b));
    bits[10] = bits_of(__hmax_nan(a, b));
    bits[11] = bits_of(__hneg(a));
    bits[12] = bits_of(__habs(a));
    bits[13] = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 |
               __hle(a, b) << 3 | __hgt(a, b) << 4 | __hge(a, b) << 5;
    bits[14] = __hequ(a, b) | __hneu(a, b) << 1 | __hltu(a, b) << 2 |
               __hleu(a, b) << 3 | __hgtu(a, b) << 4 | __hgeu(a, b) << 5;
}

template <class T>
__global__ void roots(const unsigned short *in, ushort2 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x;
    if (i < n) {
        number(in[i], &x);
        out[i] = make_ushort2(bits_of(hsqrt(x)), bits_of(hrsqrt(x)));
    }
}

/** Run a kernel over all that stdin holds. */
template <class In, class Out>
int transform(void (*kernel)(const In *, Out *, int))
{
    size_t capacity = 1 << 20;
    In *in;
    Out *out;
    cudaMallocManaged((void **)&in, capacity * sizeof(In));
    cudaMallocManaged((void **)&out, capacity * sizeof(Out));
    size_t n = fread(in, sizeof(In), capacity, stdin);
    kernel<<<(unsigned)((n + 255) / 256), 256>>>(in, out, (int)n);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    return fwrite(out, sizeof(Out), n, stdout) != n;
}

template <class T>
int perform(const char *task)
{
    if (!strcmp(task, "value"))
        return transform(values<T>);
    if (!strcmp(task, "round"))
        return transform(round_all<T>);
    if (!strcmp(task, "calculate"))
        return transform(calculate<T>);
    return transform(roots<T>);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    return strcmp(argv[1], "half") ? perform<__nv_bfloat16>(argv[2])
                                   : perform<__half>(argv[2]);
}
