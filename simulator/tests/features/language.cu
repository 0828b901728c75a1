#include "cases.h"
#include <algorithm>
#include <assert.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

// feature: a float's bits through an int pointer: no aliasing rule is used

/** Multiply by 2 in the exponent, then read the float again. */
__global__ void twice_in_bits(float *f, int *bits)
{
    int i = threadIdx.x;
    f[i] = 1.5f;
    bits[i] += 1 << 23;
    CHECK_EQUAL(f[i], 3);
}

CASE(aliasing)
{
    float *f = zeros<float>(32);
    twice_in_bits<<<1, 32>>>(f, (int *)f);
}

// feature: assert in kernels (one that fails is in findings/)

__global__ void safe(const int *x)
{
    assert(x != nullptr);
    assert(x[threadIdx.x] == 0 && "a text");
}

LAUNCH(assertions, safe<<<1, 32>>>(zeros<int>(32)));

// feature: classes with methods, operators, inheritance, constexpr in kernels

class complex_number
{
  public:
    __host__ __device__ complex_number(float re = 0, float im = 0)
        : re(re), im(im)
    {
    }
    __host__ __device__ complex_number operator*(complex_number o) const
    {
        return complex_number(re * o.re - im * o.im, re * o.im + im * o.re);
    }
    __host__ __device__ float norm() const
    {
        return re * re + im * im;
    }
    float re, im;
};

struct shape {
    int sides;
    __device__ int corners() const
    {
        return sides;
    }
};

struct prism : shape {
    __device__ int faces() const
    {
        return corners() + 2;
    }
};

__host__ __device__ constexpr int cube(int x)
{
    return x * x * x;
}

__global__ void use(complex_number i)
{
    int t = threadIdx.x;
    complex_number z = complex_number((float)t, 1) * i;
    CHECK(z.re == -1 && z.im == t && z.norm() == t * t + 1);
    prism p;
    p.sides = t;
    constexpr int n = cube(3);
    CHECK_EQUAL(p.faces() + n, t + 29);
}

LAUNCH(classes, use<<<1, 32>>>(complex_number(0, 1)));

// feature: constexpr functions of the host, where nvcc lets kernels call them

/** Of both sides: nvcc warns, and takes it. */
__host__ __device__ int at_least_three(int x)
{
    return std::max(x, 3);
}

struct pair {
    int first, second;
};

/** std::move(), lists in braces and functions of <cmath> are both sides'. */
__global__ void of_both_sides()
{
    pair p = {1, 2};
    pair q = std::move(p);
    int sum = 0;
    for (int x : {10, 20, 30})
        sum += x;
    CHECK_EQUAL(at_least_three(q.second), 3);
    CHECK_EQUAL(sum, 60);
    CHECK(!std::isnan(sum * 0.5f));
}

LAUNCH(constexpr_functions, of_both_sides<<<1, 1>>>());

// feature: loops, break, continue, switch, early return, goto in divergent
// warps

__device__ int expected(int t)
{
    int sum = 0;
    for (int i = 0; i < t && i <= 20; i++)
        sum += i % 3 ? i : 0;
    const int add[] = {1000, 6000, 4000, 0};
    return t % 4 == 3 ? -sum : sum + add[t % 4];
}

__global__ void control()
{
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < t; i++) {
        if (i % 3 == 0)
            continue;
        if (i > 20)
            break;
        sum += i;
    }
    switch (t % 4) {
    case 0:
        sum += 1000;
        break;
    case 1:
        sum += 2000; // falls through
    case 2:
        sum += 4000;
        break;
    default:
        sum = -sum;
    }
    CHECK_EQUAL(sum, expected(t));
    if (t == 9)
        return;
    int left = t;
again:
    if (left > 0) {
        left -= 3;
        goto again;
    }
    CHECK_EQUAL(left, t % 3 == 0 ? 0 : t % 3 - 3);
}

LAUNCH(control_flow, control<<<1, 32>>>());

// feature: __device__ functions: __noinline__, __forceinline__, recursion,
// overloads, __host__ __device__

__device__ __noinline__ int square(int x)
{
    return x * x;
}

__device__ __forceinline__ float square(float x)
{
    return x * x;
}

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ int both_sides(int x)
{
    return 3 * x + 1;
}

__device__ void swap_values(int &a, int &b)
{
    int old = a;
    a = b;
    b = old;
}

__device__ int twice(int x)
{
    return 2 * x;
}

typedef int (*function)(int);

__global__ void call()
{
    int t = threadIdx.x, a = square(t), b = fibonacci(t % 10);
    const int numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
    swap_values(a, b);
    CHECK(a == numbers[t % 10] && b == t * t);
    CHECK_EQUAL(square(t + 0.5f), (t + 0.5f) * (t + 0.5f));
    function chosen = t % 2 ? both_sides : twice;
    CHECK_EQUAL(chosen(t), t % 2 ? 3 * t + 1 : 2 * t);
}

CASE(device_functions)
{
    call<<<1, 32>>>();
    CHECK_EQUAL(both_sides(2), 7);
}

// feature: pointers to __device__ functions: as parameters, in variables

typedef float (*change)(float);
typedef int (*compare)(const int *, int);

__device__ float doubled(float x)
{
    return 2.0f * x;
}

__device__ float plus_one(float x)
{
    return x + 1.0f;
}

__device__ int count_below(const int *values, int limit)
{
    int count = 0;
    for (int i = 0; i < 32; i++)
        count += values[i] < limit;
    return count;
}

__device__ change changes[2] = {doubled, plus_one};
__device__ compare chosen = count_below;

__global__ void call_both(change first, change second, compare f)
{
    __shared__ int values[32];
    int t = threadIdx.x;
    values[t] = 31 - t;
    __syncthreads(); // all values are there
    CHECK_EQUAL(second(first((float)t)), 2.0f * t + 1.0f);
    CHECK_EQUAL(f(values, values[t]), 31 - t);
}

CASE(function_pointers)
{
    change both[2];
    compare f;
    CHECK_CUDA(cudaMemcpyFromSymbol(both, changes, sizeof both));
    CHECK_CUDA(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    call_both<<<1, 32>>>(both[0], both[1], f);
}

// feature: threadIdx, blockIdx, blockDim, gridDim in three dimensions; warpSize

__global__ void mark(int *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    dim3 block = blockIdx;
    uint3 thread = threadIdx;
    CHECK(block.x == blockIdx.x && thread.z == threadIdx.z);
    atomicAdd(&out[(z * height + y) * width + x], warpSize);
}

CASE(indices)
{
    const int n = 2 * 5 * 3 * 2 * 4 * 3;
    int *out = shared_zeros<int>(n);
    mark<<<dim3(2, 3, 4), dim3(5, 2, 3)>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK_EQUAL(out[i], 32);
    mark<<<n, 1>>>(out); // plain numbers instead of dim3
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[n - 1], 64);
}

// feature: lambdas inside kernels

template <class F>
__device__ int sum_of(int n, F f)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    return sum;
}

__global__ void lambdas(const int *x)
{
    int t = threadIdx.x, offset = 10;
    auto element = [&](int i) { return x[i] + offset + i; };
    auto scaled = [=](int i) { return t * i; };
    CHECK_EQUAL(sum_of(4, element), 46);
    CHECK_EQUAL(sum_of(4, scaled), 6 * t);
}

LAUNCH(lambdas, lambdas<<<1, 32>>>(zeros<int>(4)));

// feature: arrays of a thread: registers and local memory

__global__ void local(int step)
{
    int squares[16], small[4] = {1, 2, 3, 4}, at = threadIdx.x * step % 16;
    for (int i = 0; i < 16; i++)
        squares[i] = i * i;
    CHECK_EQUAL(squares[at] + small[2], at * at + 3);
}

LAUNCH(local_arrays, local<<<1, 32>>>(5));

// feature: __launch_bounds__, __restrict__, __ldg, __ldcs, volatile, #pragma
// unroll

__global__ void __launch_bounds__(128, 2)
    qualified(const float *__restrict__ in, float *__restrict__ out,
              volatile int *flag)
{
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < 8; i++)
        sum += __ldg(&in[i]);
    sum += __ldcs(&in[0]) + __ldca(&in[1]);
    __stcs(&out[threadIdx.x], sum);
    if (threadIdx.x == 0)
        *flag = 1;
}

CASE(qualifiers)
{
    float *in = shared_zeros<float>(8), *out = room<float>(32);
    int *flag = room<int>(1);
    for (int i = 0; i < 8; i++)
        in[i] = i;
    qualified<<<1, 32>>>(in, out, flag);
    CHECK(fetch(out + 31) == 29 && fetch(flag) == 1);
}

// feature: bool, char, short, enum, union, bit fields, 64-bit integers in
// memory

enum colour { RED, GREEN, BLUE };

union bits {
    float f;
    uint32_t u;
};

struct mixture {
    unsigned low : 5;
    unsigned high : 11;
    bool b;
    char c;
    unsigned short s;
    colour e;
    uint64_t l;
    bits u;
};

__global__ void types(mixture *out)
{
    int t = threadIdx.x;
    mixture &m = out[t];
    m.low = t;
    m.high = t * 3;
    m.b = t % 2;
    m.c = (char)(200 + t);
    m.s = (unsigned short)(65530 + t);
    m.e = t % 3 == 1 ? GREEN : BLUE;
    m.l = ((uint64_t)t << 33) + 1;
    m.u.f = (float)t;
}

CASE(small_types)
{
    mixture *m = shared_zeros<mixture>(32);
    types<<<1, 32>>>(m);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(m[1].b && !m[2].b && m[31].c == (char)231 && m[10].s == 4);
    CHECK(m[4].e == GREEN && m[5].e == BLUE && m[31].l == (31ull << 33) + 1);
    CHECK(m[1].u.u == 0x3f800000u && m[31].low == 31 && m[31].high == 93);
}

// feature: <cmath>, <cstdint>, <cfloat>, <climits>, <vector>, <algorithm>
// beside kernels

__global__ void limits(float *f, float four)
{
    f[0] = FLT_MAX;
    CHECK_EQUAL(std::fabs(-2.5f) + std::sqrt(four) + floor(1.5), 5.5);
    CHECK(isnan(f[0] - f[0]) || isinf(f[0] * 2));
    CHECK_EQUAL(INT_MAX + INT64_C(1), 2147483648ll);
    CHECK_EQUAL(max(3, 5) + min(2u, 7u) + abs(-4), 11);
}

CASE(standard_headers)
{
    std::vector<float> h(1);
    float *f = shared_zeros<float>(1);
    limits<<<1, 1>>>(f, 4);
    CHECK_CUDA(cudaDeviceSynchronize());
    std::copy(f, f + 1, h.begin());
    CHECK_EQUAL(h[0], FLT_MAX);
    CHECK(std::string("ab") + "c" == "abc");
}

// feature: structs as kernel arguments: by value, nested, with arrays and
// methods, up to 32764 bytes of parameters

struct matrix {
    int rows, cols;
    float *data;
    __device__ float &at(int row, int col) const
    {
        return data[row * cols + col];
    }
};

struct problem {
    matrix in, out;
    float weights[3];
    char tag;
    double scale;
};

__global__ void weigh(problem p, int3 shift, bool negate)
{
    int col = threadIdx.x, row = threadIdx.y;
    float value = p.in.at(row, col) * p.weights[row] * (float)p.scale;
    p.out.at(row, col) = (negate ? -value : value) + shift.z + p.tag;
    p.scale = 0; // this thread's own copy
    CHECK_EQUAL(p.out.at(row, col), 10 - (4 * row + col) * (1 << row) * 0.5);
}

struct large {
    char data[32764];
};

__global__ void ends(large x)
{
    CHECK_EQUAL(x.data[threadIdx.x], threadIdx.x);
    CHECK_EQUAL(x.data[32763 - threadIdx.x], (32763 - threadIdx.x) % 100);
}

CASE(struct_arguments)
{
    static large x;
    for (int i = 0; i < 32764; i++)
        x.data[i] = (char)(i % 100);
    ends<<<1, 64>>>(x);
    float *in = shared_zeros<float>(12);
    for (int i = 0; i < 12; i++)
        in[i] = i;
    problem p = {{3, 4, in}, {3, 4, room<float>(12)}, {1, 2, 4}, 1, 0.5};
    weigh<<<1, dim3(4, 3)>>>(p, make_int3(7, 8, 9), true);
}

// feature: templates: kernels with types, numbers, functions; deduced arguments

template <int N, class T>
__global__ void powers(T two)
{
    T product = 1;
#pragma unroll
    for (int i = 0; i < N; i++)
        product *= two;
    CHECK_EQUAL(product, 1 << N);
}

struct plus {
    template <class T>
    __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

template <class Operation, class T>
__global__ void combine(Operation operation, T x)
{
    CHECK_EQUAL(operation(x, x), 2 * x);
}

template <int WIDTH, bool REVERSED = false>
__device__ int index_of(int t)
{
    if constexpr (REVERSED)
        return WIDTH - 1 - t;
    else
        return t;
}

__global__ void reversed()
{
    int t = threadIdx.x;
    CHECK_EQUAL((index_of<32, true>(t)), 31 - index_of<32>(t));
}

CASE(templates)
{
    powers<3><<<1, 32>>>(2); // T is deduced
    powers<2, double><<<1, 32>>>(2);
    combine<<<1, 32>>>(plus(), 0.5f);
    reversed<<<1, 32>>>();
}

// feature: float2, float4, int4, uchar4, double2 ...: members, make_, alignment

struct pixel {
    uchar4 colour;
    float2 place;
};

__global__ void vectors(float4 *x, double2 *d, pixel *p, short2 *s, uint3 *u)
{
    int t = threadIdx.x;
    float4 v = x[t];
    v.x += v.w;
    float *second = &v.y;
    *second *= 2;
    x[t] = v;
    d[t] = make_double2(v.x, v.y);
    int4 i = make_int4(t, -t, (int)v.z, 7);
    CHECK(i.y == -t && i.z == t + 2);
    p[t].colour = make_uchar4(t, t + 1, t + 2, 255);
    p[t].place = make_float2(0.5f, t);
    s[t] = make_short2(-1, (short)t);
    u[t] = make_uint3(1, 2, t);
}

CASE(vector_types)
{
    static_assert(sizeof(float3) == 12 && alignof(float4) == 16 &&
                      sizeof(double2) == 16 && alignof(float2) == 8 &&
                      sizeof(uchar4) == 4 && alignof(uchar4) == 4,
                  "as on a GPU");
    float4 *x = shared_zeros<float4>(32);
    double2 *d = shared_zeros<double2>(32);
    pixel *p = shared_zeros<pixel>(32);
    short2 *s = shared_zeros<short2>(32);
    uint3 *u = shared_zeros<uint3>(32);
    for (int t = 0; t < 32; t++)
        x[t] = make_float4(t, t + 1, t + 2, t + 3);
    vectors<<<1, 32>>>(x, d, p, s, u);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK(x[t].x == 2 * t + 3 && x[t].y == 2 * t + 2);
        CHECK(x[t].z == t + 2 && x[t].w == t + 3 && d[t].x == 2 * t + 3);
        CHECK(p[t].colour.w == 255 && p[t].place.y == t);
        CHECK(s[t].x == -1 && u[t].z == (unsigned)t);
    }
}

// feature: a launch right behind a colon

__global__ void answer(int *x)
{
    *x = 42;
}

CASE(launch_behind_a_colon)
{
    int *x = zeros<int>(1);
    switch (fetch(x)) {
    // clang-format off
    case 0:answer<<<1, 1>>>(x);
        // clang-format on
    }
    CHECK_EQUAL(fetch(x), 42);
}
