#include "cases.h"
#include "ptx.h"

// feature: inline PTX: mov of special registers, add, mad, bfe, ex2, rcp
// counted only: inline PTX needs clang

__global__ void registers()
{
    unsigned lane, warp, sum, product, field, thread;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
    asm("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(lane), "r"(100));
    asm("mad.lo.u32 %0, %1, %2, %3;"
        : "=r"(product)
        : "r"(lane), "r"(3), "r"(7));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(0xabcdu), "r"(4), "r"(8));
    CHECK(thread == threadIdx.x && lane == thread % 32 && warp < 64);
    CHECK(sum == lane + 100 && product == 3 * lane + 7 && field == 0xbc);
    float power, quotient, none;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(3.0f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(quotient) : "f"(-4.0f));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(none) : "f"(-127.5f));
    CHECK(power == 8.0f && quotient == -0.25f && none == 0.0f);
}

LAUNCH(inline_ptx, registers<<<1, 64>>>());

// feature: vabsdiff4: how far the bytes of two words differ, summed
// counted only: inline PTX needs clang

__global__ void byte_differences()
{
    unsigned sum, wrapped;
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
        : "=r"(sum)
        : "r"(0x00ff8001u), "r"(0xff007f03u), "r"(1000u));
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;"
        : "=r"(wrapped)
        : "r"(7u), "r"(0u), "r"(0xffffffffu));
    CHECK(sum == 1000 + 255 + 255 + 1 + 2 && wrapped == 6);
}

LAUNCH(byte_differences, byte_differences<<<1, 32>>>());

// feature: fma, add, sub, mul of floats as inline PTX, rounded as in C++; an
// empty `asm` that holds a float
// counted only: inline PTX needs clang

__global__ void sums(float a, float b)
{
    float sum, difference, product, tiny = 1e-30f;
    asm("add.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    asm("sub.rn.f32 %0,%1,%2;" : "=f"(difference) : "f"(a), "f"(b));
    asm volatile("mul.f32 %0, %1, %2;\n" : "=f"(product) : "f"(a), "f"(b));
    CHECK(sum == 4.0f && difference == -1.0f && product == 3.75f);
    asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
    CHECK(sum == 7.75f);
    asm("mul.rn.f32 %0, %1, %1;" : "=f"(product) : "f"(1 + 0x1p-12f));
    asm("fma.rn.f32 %0, %1, %1, %2;"
        : "=f"(tiny)
        : "f"(1 + 0x1p-12f), "f"(-product));
    CHECK(tiny == 0x1p-24f); // what the product lost; rounded twice it is 0
    asm volatile("" : "+f"(tiny)::"memory");
    CHECK(tiny == 0x1p-24f);
}

LAUNCH(float_ptx, sums<<<1, 32>>>(1.5f, 2.5f));

// feature: shfl.sync as inline PTX: .up, .down, .bfly, .idx, segments, the
// predicate
// counted only: inline PTX needs clang

#define SHUFFLE(way, by, bounds)                                               \
    ({                                                                         \
        int got_, inside_;                                                     \
        asm volatile("{ .reg .pred p; shfl.sync." way                          \
                     ".b32 %0|p, %2, %3, %4, 0xffffffff;"                      \
                     " selp.b32 %1, 1, 0, p; }"                                \
                     : "=r"(got_), "=r"(inside_)                               \
                     : "r"(100 + lane), "r"(by), "r"(bounds));                 \
        inside_ ? got_ : -got_;                                                \
    })

__global__ void shuffles()
{
    int lane = threadIdx.x;
    int up = SHUFFLE("up", 3, 0), down = SHUFFLE("down", 3, 31);
    CHECK(up == (lane < 3 ? -(100 + lane) : 97 + lane));
    CHECK(down == (lane > 28 ? -(100 + lane) : 103 + lane));
    CHECK(SHUFFLE("bfly", 16, 31) == 100 + (lane ^ 16));
    CHECK(SHUFFLE("idx", 5, 31) == 105);
    const int EIGHTS = 24 << 8; // segments of 8 lanes
    CHECK(SHUFFLE("idx", 9, EIGHTS | 31) == 101 + lane / 8 * 8);
    down = SHUFFLE("down", 1, EIGHTS | 31), up = SHUFFLE("up", 1, EIGHTS);
    CHECK(down == (lane % 8 == 7 ? -(100 + lane) : 101 + lane));
    CHECK(up == (lane % 8 == 0 ? -(100 + lane) : 99 + lane));
    float half = lane / 2.0f;
    asm("shfl.sync.down.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+f"(half));
    CHECK(half == (lane == 31 ? 15.5f : (lane + 1) / 2.0f));
}

LAUNCH(shuffle_ptx, shuffles<<<1, 32>>>());

// feature: %globaltimer, in nanoseconds
// counted only: inline PTX needs clang

__global__ void read_timer(unsigned long long *before)
{
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    CHECK(nanoseconds >= *before);
    *before = nanoseconds;
}

CASE(global_timer)
{
    unsigned long long *before = zeros<unsigned long long>(1);
    for (int i = 0; i < 2; i++)
        read_timer<<<1, 1>>>(before);
}

// feature: cp.async as inline PTX: .ca, .cg, commit_group, wait_group, wait_all
// counted only: inline PTX needs clang

enum { T = 64, TILES = 5 };

__device__ void copy_4(int *to, const int *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(shared(to)),
                 "l"(from)
                 : "memory");
}

__device__ void copy_16(int *to, const int *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(
                     shared(to)),
                 "l"(from), "n"(16), "r"(bytes)
                 : "memory");
}

// two groups under way: while one tile is looked at, the next one comes
__global__ void stages(const int *in)
{
    __shared__ int s[2][T];
    int t = threadIdx.x, next = (t + 1) % T;
    copy_4(&s[0][t], &in[t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES)
            copy_4(&s[(i + 1) % 2][t], &in[(i + 1) * T + t]);
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(1) : "memory");
        __syncthreads(); // tile i is there
        CHECK_EQUAL(s[i % 2][next], in[i * T + next]);
        __syncthreads(); // before it is overwritten
    }
}

// 16 bytes a thread, of which the last one reads 8: the rest is zeros
__global__ void wide(const int *in)
{
    extern __shared__ int4 dynamic[];
    int *s = (int *)dynamic, t = threadIdx.x;
    if (t < T / 4)
        copy_16(&s[4 * t], &in[4 * t], t == T / 4 - 1 ? 8 : 16);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    CHECK_EQUAL(s[T - 1 - t], t < 2 ? 0 : in[T - 1 - t]);
}

CASE(async_ptx)
{
    int *in = shared_zeros<int>(TILES * T);
    for (int i = 0; i < TILES * T; i++)
        in[i] = 3 * i + 1;
    stages<<<1, T>>>(in);
    wide<<<1, T, T * sizeof(int)>>>(in);
}

// feature: ldmatrix and stmatrix: 1, 2, 4 matrices, transposed or not;
// __cvta_generic_to_shared, cvta.to.shared
// counted only: inline PTX needs clang

/** Two neighbouring elements of a matrix, as a lane gets them. */
__device__ unsigned expected(int matrix, bool transposed, int shift)
{
    int lane = threadIdx.x, number[2];
    for (int e = 0; e < 2; e++) {
        int row = lane / 4, column = lane % 4 * 2 + e;
        int from = 8 * matrix + (transposed ? column : row);
        number[e] = (31 - from - shift) * 8 + (transposed ? row : column);
    }
    return number[0] | number[1] << 16;
}

#define LDMATRIX(kind, ...)                                                    \
    asm volatile("ldmatrix.sync.aligned.m8n8." kind ".shared.b16 " __VA_ARGS__ \
                 : "r"(at))

/* Shared memory holds 0, 1, 2 ... in rows of 8 numbers of 16 bits. The lanes
 * name rows in reverse order, so lane 8 * m + i has row 31 - (8 * m + i). */
__global__ void load()
{
    __shared__ alignas(16) uint16_t rows[32][8];
    __shared__ alignas(16) uint16_t copy[32][8];
    int lane = threadIdx.x;
    for (int i = 0; i < 8; i++) {
        rows[lane][i] = lane * 8 + i;
        copy[lane][i] = 0;
    }
    __syncthreads();
    unsigned at = shared(&rows[31 - lane][0]), r[14];
    LDMATRIX("x1", "{%0}, [%1];" : "=r"(r[0]));
    LDMATRIX("x2", "{%0,%1}, [%2];" : "=r"(r[1]), "=r"(r[2]));
    LDMATRIX("x4", "{%0, %1, %2, %3}, [%4];\n"
             : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]));
    LDMATRIX("x4.trans", "{%0,%1,%2,%3}, [%4];"
             : "=r"(r[7]), "=r"(r[8]), "=r"(r[9]), "=r"(r[10]));
    LDMATRIX("x1.trans", "{%0}, [%1];" : "=r"(r[11]));
    /* The first lane's row is the last one: 16 bytes less is the one before. */
    LDMATRIX("x2", "{%0,%1}, [%2+-16];" : "=r"(r[12]), "=r"(r[13]));
    const int matrix[] = {0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 1};
    for (int i = 0; i < 14; i++)
        CHECK_EQUAL(r[i], expected(matrix[i], i >= 7 && i <= 11, i >= 12));

    uint64_t there;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(there) : "l"(&copy[lane][0]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
                 "{%1,%2,%3,%4};" ::"r"((unsigned)there),
                 "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6])
                 : "memory");
    __syncthreads();
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(copy[lane][i], (31 - lane) * 8 + i);
}

/** What one lane does more leaves what all do in one piece. */
__global__ void one_does_more()
{
    __shared__ alignas(16) uint16_t rows[32][8];
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0)
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        asm volatile("bar.sync 1, 32;" ::: "memory");
        asm volatile(
            "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(
                shared(rows[threadIdx.x])),
            "r"(i)
            : "memory");
        asm volatile("bar.sync 1, 32;" ::: "memory");
        if (threadIdx.x == 0)
            asm volatile("cp.async.commit_group;" ::: "memory");
    }
    CHECK_EQUAL(rows[threadIdx.x % 8][0], 1);
}

CASE(ldmatrix)
{
    load<<<1, 32>>>();
    one_does_more<<<1, 32>>>();
}

__device__ float ptx_numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
__device__ signed char ptx_small[2] = {-3, 5};
__device__ unsigned ptx_word = 3;
__device__ unsigned long long ptx_long = 40;

__global__ void memory(float *out)
{
    __shared__ float two[4];
    float a, b, c, d, none = -1;
    int x, y = 0, z;
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4+16];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(ptx_numbers));
    asm volatile("st.shared.v2.f32 [%0+8], {%1, %2};" ::"r"(shared(two)),
                 "f"(a), "f"(b)
                 : "memory");
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.f32 %0, [%2];}"
                 : "+f"(none)
                 : "r"(y), "l"(ptx_numbers));
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out),
                 "f"(two[2]), "f"(two[3]), "f"(c), "f"(d)
                 : "memory");
    out[4] = none;
    asm volatile("st.global.f32 [%0], 0f40200000;" ::"l"(out + 6) : "memory");
    asm volatile("ld.global.s8 %0, [%1];" : "=r"(x) : "l"(ptx_small));
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(y) : "l"(ptx_small));
    CHECK(x == -3 && y == 253);
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                 : "=r"(x)
                 : "l"(&ptx_word), "r"(-2)
                 : "memory");
    asm volatile("atom.cas.acq_rel.gpu.global.b32 %0, [%1], %2, %3;"
                 : "=r"(y)
                 : "l"(&ptx_word), "r"(1), "r"(7)
                 : "memory");
    asm volatile("red.max.s32 [%0], %1;" ::"l"(&ptx_word), "r"(-9) : "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                 : "=r"(z)
                 : "l"(&ptx_word)
                 : "memory");
    CHECK(x == 3 && y == 1 && z == 7);
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(&ptx_long),
                 "l"(2ll)
                 : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(out + 5), "f"(1.5f)
                 : "memory");
}

// feature: ld, st, atom and red as inline PTX: .v2, .v4, .nc, order, scope
// counted only: inline PTX needs clang
CASE(memory_ptx)
{
    float *out = shared_zeros<float>(7);
    memory<<<1, 1>>>(out);
    CHECK_CUDA(cudaDeviceSynchronize());
    const float expected[] = {4, 5, 6, 7, -1, 1.5f, 2.5f};
    for (int i = 0; i < 7; i++)
        CHECK_EQUAL(out[i], expected[i]);
    unsigned long long sum;
    CHECK_CUDA(cudaMemcpyFromSymbol(&sum, ptx_long, sizeof(sum)));
    CHECK_EQUAL(sum, 42);
}
