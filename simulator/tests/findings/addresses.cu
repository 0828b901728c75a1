// counted only: in plain mode the processor objects, or nobody
#include "cases.h"
#include "ptx.h"
#include <stdint.h>

// Row times width passes 2^31: the index is negative, and its bytes lie 2^32
// elements before the element that is meant.

__global__ void mark(char *x, long long before)
{
    // says: write of image[-4294967293]
    // says: 2^32 elements on lies image[3]
    x[threadIdx.x - before] = 1; // expect: out-of-bounds-global
}

CASE(overflow)
{
    char *image;
    cudaMalloc(&image, 32);
    mark<<<1, 1>>>(image + 3, RIGHT ? 0 : 1ll << 32);
}

// The bytes of a row of floats, calculated in 32 bits.

__global__ void mark_row(char *x, long long before)
{
    // says: 2^32 bytes back lies rows[1]
    *(float *)(x + before) = 1; // expect: out-of-bounds-global
}

CASE(overflow_of_bytes)
{
    float *rows;
    cudaMalloc(&rows, 32);
    mark_row<<<1, 1>>>((char *)(rows + 1), RIGHT ? 0 : 1ll << 32);
}

// A wrong pitch leads far behind a buffer: there lies no other one.

__global__ void column(const int *x, int *y, int pitch)
{
    // says: read of x[524288]
    y[threadIdx.x] = x[threadIdx.x * pitch]; // expect: out-of-bounds-global
}

CASE(far)
{
    int *x, *y;
    cudaMalloc(&x, 256);
    cudaMalloc(&y, 256);
    cudaMemset(x, 0, 256);
    cudaMemset(y, 0, 256);
    column<<<1, 2>>>(x, y, RIGHT ? 32 : 1 << 19);
}

// Buffers of all calls have their names, also where pinned memory comes first.

__global__ void store(float *x, int at)
{
    // says: 1 element past the end of second
    x[threadIdx.x + at] = 1; // expect: out-of-bounds-global
}

CASE(names_of_one_line)
{
    float *first, *rows, *second;
    size_t pitch;
    // clang-format off
    cudaMallocHost(&first, 128); cudaMallocPitch(&rows, &pitch, 100, 2); cudaMalloc((void **)&second, 128);
    // clang-format on
    store<<<1, 32>>>(second, RIGHT ? 0 : 1);
}

// ldmatrix wants 32 bits of shared memory: a pointer that is cut is none.

__global__ void load_row(unsigned *out)
{
    __shared__ __align__(16) uint16_t rows[64];
    rows[threadIdx.x] = rows[threadIdx.x + 32] = 0;
    __syncwarp();
    const uint16_t *row = rows + threadIdx.x % 8 * 8;
    unsigned at = RIGHT ? __cvta_generic_to_shared(row) : (uintptr_t)row;
    // says: __cvta_generic_to_shared
    asm volatile( // expect: array-bounds
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
        : "=r"(out[threadIdx.x])
        : "r"(at));
}

LAUNCH(cut_pointer, load_row<<<1, 32>>>(room<unsigned>(32)));

// The launch is refused, so there is nothing to copy: the cause comes first.

__global__ void set(float *x)
{
    x[threadIdx.y * blockDim.x + threadIdx.x] = 1;
}

CASE(too_many_threads)
{
    float *x = room<float>(1024);
    static float back[1024];
    set<<<1, dim3(64, RIGHT ? 16 : 64)>>>(x); // expect: launch-limits
    cudaMemcpy(back, x, sizeof back,          // expect: uninitialised-global
               cudaMemcpyDeviceToHost);
}
