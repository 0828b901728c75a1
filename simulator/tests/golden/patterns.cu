/**
 * @file patterns.cu
 * @brief One access by one full warp, for each cell of the golden data.
 *
 * Reads rows from a text file: operation, bytes, base, 32 lane offsets in units
 * of the access size (-1: the lane is not active). Each row is one launch of
 * one warp. The line of the access under test ends with a `// golden: ...`
 * comment; test_golden.py looks up that line in SIM_REPORT, so the accesses
 * around it (offsets in, results out) do not disturb.
 *
 * The base is 0, but for line_load and line_store, whose cost depends on the
 * address: of a buffer at this address modulo 4 GiB they touch what lies
 * offsets in bytes behind it. Tag banks depend on these bits, so the buffer
 * must lie where it lay on the GPU. The simulator hands out addresses in
 * ascending order, at multiples of 2 MiB: buffers that are freed again lead
 * there.
 *
 * Run: patterns FILE
 */

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 2048 }; /**< of an array; the largest offset is 1280 */

/* 1, 2, 4, 8 and 16 bytes: types that a warp moves in one instruction. */
typedef unsigned char bytes1;
typedef unsigned short bytes2;
typedef unsigned bytes4;
typedef uint2 bytes8;
typedef uint4 bytes16;

__constant__ unsigned constant_table[ELEMENTS];

/* ---- global memory ------------------------------------------------------- */

template <class T>
__global__ void global_load(const T *data, const int *offsets, T *out)
{
    int offset = offsets[threadIdx.x];
    if (offset >= 0) {
        T value = data[offset]; // golden: global load
        out[threadIdx.x] = value;
    }
}

template <class T>
__global__ void global_store(T *data, const int *offsets, const T *values)
{
    int offset = offsets[threadIdx.x];
    T value = values[threadIdx.x];
    if (offset >= 0)
        data[offset] = value; // golden: global store
}

/* Atomic operations differ in one line: the one under test. */
#define GLOBAL_ATOMIC_KERNEL(name, type, ...)                                  \
    __global__ void name(type *data, const int *offsets, type *out)            \
    {                                                                          \
        int offset = offsets[threadIdx.x];                                     \
        type old = 0, lane = (type)threadIdx.x;                                \
        if (offset >= 0) {                                                     \
            __VA_ARGS__;                                                       \
        }                                                                      \
        out[threadIdx.x] = old + lane;                                         \
    }

// clang-format off
GLOBAL_ATOMIC_KERNEL(global_atomic_inc, int, atomicAdd(&data[offset], 1)) // golden: global atomic_inc
GLOBAL_ATOMIC_KERNEL(global_atomic_add, int, atomicAdd(&data[offset], lane)) // golden: global atomic_add
GLOBAL_ATOMIC_KERNEL(global_atomic_add_ret, int, old = atomicAdd(&data[offset], lane)) // golden: global atomic_add_ret
GLOBAL_ATOMIC_KERNEL(global_atomic_fadd, float, atomicAdd(&data[offset], lane)) // golden: global atomic_fadd
GLOBAL_ATOMIC_KERNEL(global_atomic_fadd_ret, float, old = atomicAdd(&data[offset], lane)) // golden: global atomic_fadd_ret
// clang-format on

/* ---- global memory at an address ----------------------------------------- */

#define BUFFER (2ull << 30)   /**< bytes; the largest offset is just below */
#define STEP (2ull << 20)     /**< between two places for a buffer (bytes) */
#define STRIDE (256ull << 20) /**< most of them that are taken at once */
#define GAP (64ull << 10)     /**< that the simulator leaves behind a buffer */

/** Offsets of the lanes. */
struct row {
    long long at[32];
};

template <class T>
__global__ void line_load(const T *base, row r, T *out)
{
    long long offset = r.at[threadIdx.x];
    if (offset >= 0) {
        const char *at = (const char *)base + offset;
        T value = *(const T *)at; // golden: line load
        out[threadIdx.x] = value;
    }
}

template <class T>
__global__ void line_store(T *base, row r)
{
    long long offset = r.at[threadIdx.x];
    T value = T();
    char *at = (char *)base + offset;
    if (offset >= 0)
        *(T *)at = value; // golden: line store
}

/** Address of a buffer of @p bytes that is freed at once, modulo 4 GiB. */
static uint32_t touch(size_t bytes)
{
    void *p = NULL;
    cudaMalloc(&p, bytes);
    cudaFree(p);
    return (uint32_t)(uintptr_t)p;
}

/** A buffer that begins at @p base modulo 4 GiB; NULL: no memory. */
static void *buffer_at(uint32_t base)
{
    uint32_t left = base - (touch(1) + (uint32_t)STEP);
    while (left) {
        uint32_t part = left < STRIDE ? left : (uint32_t)STRIDE;
        touch(part - GAP);
        left -= part;
    }
    void *p = NULL;
    return cudaMalloc(&p, BUFFER) == cudaSuccess ? p : NULL;
}

/* ---- shared memory ------------------------------------------------------- */

template <class T>
__device__ T filler(int i)
{
    T value;
    memset(&value, i, sizeof value);
    return value;
}

template <class T>
__global__ void shared_load(const int *offsets, T *out)
{
    __shared__ T data[1024];
    for (int i = threadIdx.x; i < 1024; i += 32)
        data[i] = filler<T>(i);
    __syncthreads(); // the stores above before the load below
    int offset = offsets[threadIdx.x];
    if (offset >= 0) {
        T value = data[offset]; // golden: shared load
        out[threadIdx.x] = value;
    }
}

template <class T>
__global__ void shared_store(const int *offsets, const T *values, T *out)
{
    __shared__ T data[1024];
    int offset = offsets[threadIdx.x];
    T value = values[threadIdx.x];
    if (offset >= 0)
        data[offset] = value; // golden: shared store
    __syncthreads();          // the stores above before the load below
    if (offset >= 0)
        out[threadIdx.x] = data[offset];
}

#define SHARED_ATOMIC_KERNEL(name, type, ...)                                  \
    __global__ void name(const int *offsets, type *out)                        \
    {                                                                          \
        __shared__ type data[1024];                                            \
        for (int i = threadIdx.x; i < 1024; i += 32)                           \
            data[i] = 0;                                                       \
        int offset = offsets[threadIdx.x];                                     \
        __syncthreads();                                                       \
        if (offset >= 0) {                                                     \
            __VA_ARGS__;                                                       \
        }                                                                      \
    }

// clang-format off
SHARED_ATOMIC_KERNEL(shared_atomic_inc, int, atomicAdd(&data[offset], 1)) // golden: shared atomic_inc
SHARED_ATOMIC_KERNEL(shared_atomic_add, int, atomicAdd(&data[offset], threadIdx.x)) // golden: shared atomic_add
SHARED_ATOMIC_KERNEL(shared_atomic_add_ret, int, out[threadIdx.x] = atomicAdd(&data[offset], threadIdx.x)) // golden: shared atomic_add_ret
SHARED_ATOMIC_KERNEL(shared_atomic_fadd, float, atomicAdd(&data[offset], (float)threadIdx.x)) // golden: shared atomic_fadd
// clang-format on

/* ---- ldmatrix ------------------------------------------------------------ */

/* A lane names the row at its offset; those that name none have -1. */
// clang-format off
#define LDMATRIX_KERNEL(name, ...)                                             \
    __global__ void name(const int *offsets, unsigned *out)                    \
    {                                                                          \
        __shared__ uint4 data[1024];                                           \
        for (int i = threadIdx.x; i < 1024; i += 32)                           \
            data[i] = make_uint4(i, i, i, i);                                  \
        int offset = offsets[threadIdx.x];                                     \
        unsigned row = (unsigned)__cvta_generic_to_shared(                     \
            &data[offset < 0 ? 0 : offset]);                                   \
        unsigned r[4] = {0, 0, 0, 0};                                          \
        __syncthreads();                                                       \
        __VA_ARGS__                                                            \
        out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];                          \
    }
#define LDMATRIX "ldmatrix.sync.aligned.m8n8."
#define ONE "{%0}, [%1];" : "=r"(r[0]) : "r"(row)
#define TWO "{%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(row)
#define FOUR "{%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row)
LDMATRIX_KERNEL(shared_ldmatrix_x1, asm volatile(LDMATRIX "x1.shared.b16 " ONE);) // golden: shared ldmatrix_x1
LDMATRIX_KERNEL(shared_ldmatrix_x2, asm volatile(LDMATRIX "x2.shared.b16 " TWO);) // golden: shared ldmatrix_x2
LDMATRIX_KERNEL(shared_ldmatrix_x4, asm volatile(LDMATRIX "x4.shared.b16 " FOUR);) // golden: shared ldmatrix_x4
LDMATRIX_KERNEL(shared_ldmatrix_x4_trans, asm volatile(LDMATRIX "x4.trans.shared.b16 " FOUR);) // golden: shared ldmatrix_x4_trans
// clang-format on

/* ---- constant memory ----------------------------------------------------- */

__global__ void constant_load(const int *offsets, unsigned *out)
{
    int offset = offsets[threadIdx.x];
    if (offset >= 0)
        out[threadIdx.x] = constant_table[offset]; // golden: constant load
}

/* ---- one row ------------------------------------------------------------- */

/** Buffers of the largest size, cleared; the same for all rows. */
static void *data;
static void *values;
static void *out;
static int *offsets;
static void *buffer; /**< of 2 GiB, at an address */
static row lanes;    /**< offsets of a row */

/** An operation at one size, and its launch. */
struct operation {
    const char *name;
    int bytes;
    void (*launch)();
};

// clang-format off
#define LAUNCH(kernel, bytes, ...)                                             \
    {#kernel, bytes, [] { kernel<<<1, 32>>>(__VA_ARGS__); }}
#define LOAD_STORE(type, bytes)                                                \
    LAUNCH(global_load, bytes, (const type *)data, offsets, (type *)out),      \
    LAUNCH(global_store, bytes, (type *)data, offsets, (const type *)values),  \
    LAUNCH(shared_load, bytes, offsets, (type *)out),                          \
    LAUNCH(shared_store, bytes, offsets, (const type *)values, (type *)out)
#define LINES(type, bytes)                                                     \
    LAUNCH(line_load, bytes, (const type *)buffer, lanes, (type *)out),        \
    LAUNCH(line_store, bytes, (type *)buffer, lanes)
// clang-format on

static const operation OPERATIONS[] = {
    LOAD_STORE(bytes1, 1),
    LOAD_STORE(bytes2, 2),
    LOAD_STORE(bytes4, 4),
    LOAD_STORE(bytes8, 8),
    LOAD_STORE(bytes16, 16),
    LINES(bytes4, 4),
    LINES(bytes8, 8),
    LINES(bytes16, 16),
    LAUNCH(global_atomic_inc, 4, (int *)data, offsets, (int *)out),
    LAUNCH(global_atomic_add, 4, (int *)data, offsets, (int *)out),
    LAUNCH(global_atomic_add_ret, 4, (int *)data, offsets, (int *)out),
    LAUNCH(global_atomic_fadd, 4, (float *)data, offsets, (float *)out),
    LAUNCH(global_atomic_fadd_ret, 4, (float *)data, offsets, (float *)out),
    LAUNCH(shared_atomic_inc, 4, offsets, (int *)out),
    LAUNCH(shared_atomic_add, 4, offsets, (int *)out),
    LAUNCH(shared_atomic_add_ret, 4, offsets, (int *)out),
    LAUNCH(shared_atomic_fadd, 4, offsets, (float *)out),
    LAUNCH(constant_load, 4, offsets, (unsigned *)out),
    LAUNCH(shared_ldmatrix_x1, 16, offsets, (unsigned *)out),
    LAUNCH(shared_ldmatrix_x2, 16, offsets, (unsigned *)out),
    LAUNCH(shared_ldmatrix_x4, 16, offsets, (unsigned *)out),
    LAUNCH(shared_ldmatrix_x4_trans, 16, offsets, (unsigned *)out),
};

static bool launch(const char *name, int bytes)
{
    for (const operation &one : OPERATIONS)
        if (strcmp(name, one.name) == 0 && bytes == one.bytes) {
            one.launch();
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    FILE *rows = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!rows) {
        fprintf(stderr, "usage: patterns FILE\n");
        return 2;
    }
    cudaMalloc(&data, ELEMENTS * 16);
    cudaMalloc(&values, ELEMENTS * 16);
    cudaMalloc(&out, ELEMENTS * 16);
    cudaMalloc((void **)&offsets, 32 * sizeof(int));
    cudaMemset(data, 0, ELEMENTS * 16);
    cudaMemset(values, 1, ELEMENTS * 16);
    static const unsigned zeros[ELEMENTS] = {0};
    cudaMemcpyToSymbol(constant_table, zeros, sizeof zeros);

    char operation[64];
    int bytes, small[32];
    unsigned base;
    while (fscanf(rows, "%63s %d %u", operation, &bytes, &base) == 3) {
        for (int lane = 0; lane < 32; lane++) {
            if (fscanf(rows, "%lld", &lanes.at[lane]) != 1)
                return 2;
            small[lane] = (int)lanes.at[lane];
        }
        cudaMemcpy(offsets, small, sizeof small, cudaMemcpyHostToDevice);
        if (base && (uint32_t)(uintptr_t)buffer != base) {
            cudaFree(buffer);
            buffer = buffer_at(base);
            if ((uint32_t)(uintptr_t)buffer != base) {
                fprintf(stderr, "no buffer of 2 GiB at %#x\n", base);
                return 3;
            }
        }
        if (!launch(operation, bytes)) {
            fprintf(stderr, "no operation %s of %d bytes\n", operation, bytes);
            return 2;
        }
        cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) {
            fprintf(stderr, "%s: %s\n", operation, cudaGetErrorString(error));
            return 1;
        }
    }
    fclose(rows);
    return 0;
}
