/**
 * @file patterns.cu
 * @brief One access by one full warp, for each cell of the golden data.
 *
 * Reads rows from a text file: operation, bytes, 32 lane offsets in units of
 * the access size (-1: the lane is not active). Each row is one launch of one
 * warp. The line of the access under test ends with a `// golden: ...` comment;
 * test_golden.py looks up that line in SIM_REPORT, so the accesses around it
 * (offsets in, results out) do not disturb.
 *
 * Run: patterns FILE
 */

#include <cuda_runtime.h>
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

__global__ void global_atomic_inc(int *data, const int *offsets)
{
    int offset = offsets[threadIdx.x];
    if (offset >= 0)
        atomicAdd(&data[offset], 1); // golden: global atomic_inc
}

__global__ void global_atomic_add(int *data, const int *offsets)
{
    int offset = offsets[threadIdx.x];
    if (offset >= 0)
        atomicAdd(&data[offset], threadIdx.x); // golden: global atomic_add
}

__global__ void global_atomic_add_ret(int *data, const int *offsets, int *out)
{
    int offset = offsets[threadIdx.x];
    if (offset >= 0) {
        int *p = &data[offset];
        int old = atomicAdd(p, threadIdx.x); // golden: global atomic_add_ret
        out[threadIdx.x] = old;
    }
}

__global__ void global_atomic_fadd(float *data, const int *offsets)
{
    int offset = offsets[threadIdx.x];
    float value = (float)threadIdx.x;
    if (offset >= 0)
        atomicAdd(&data[offset], value); // golden: global atomic_fadd
}

__global__ void global_atomic_fadd_ret(float *data, const int *offsets,
                                       float *out)
{
    int offset = offsets[threadIdx.x];
    float value = (float)threadIdx.x;
    if (offset >= 0) {
        float *p = &data[offset];
        float old = atomicAdd(p, value); // golden: global atomic_fadd_ret
        out[threadIdx.x] = old;
    }
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

/* The four atomic operations differ in one line: the one under test. */
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
// clang-format on

static const operation OPERATIONS[] = {
    LOAD_STORE(bytes1, 1),
    LOAD_STORE(bytes2, 2),
    LOAD_STORE(bytes4, 4),
    LOAD_STORE(bytes8, 8),
    LOAD_STORE(bytes16, 16),
    LAUNCH(global_atomic_inc, 4, (int *)data, offsets),
    LAUNCH(global_atomic_add, 4, (int *)data, offsets),
    LAUNCH(global_atomic_add_ret, 4, (int *)data, offsets, (int *)out),
    LAUNCH(global_atomic_fadd, 4, (float *)data, offsets),
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
    int bytes;
    while (fscanf(rows, "%63s %d", operation, &bytes) == 2) {
        int row[32];
        for (int lane = 0; lane < 32; lane++)
            if (fscanf(rows, "%d", &row[lane]) != 1)
                return 2;
        cudaMemcpy(offsets, row, sizeof row, cudaMemcpyHostToDevice);
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
