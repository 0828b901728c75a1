#include "cases.h"

// Index 33 of a row of 33: it is the first element of the next row, so no
// other memory is touched, and compute-sanitizer is content.

__global__ void diagonal(int *out)
{
    __shared__ int tile[32][33 + RIGHT];
    int t = threadIdx.x;
    for (int x = 0; x < 33 + RIGHT; x++)
        tile[t][x] = x;
    __syncwarp();            // the tile is complete
    out[t] = tile[t][t + 2]; // expect: array-bounds
}

LAUNCH(row, diagonal<<<1, 32>>>(room<int>(32)));

// A pointer into a shared array runs over its end, into another array.

__device__ int sum(const int *p, int n)
{
    int total = 0;
    for (int i = 0; i <= n; i++)
        total += p[i]; // expect: array-bounds
    return total;
}

__global__ void sums(int *out)
{
    __shared__ int a[32];
    __shared__ int b[32];
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncwarp(); // both arrays are complete
    out[threadIdx.x] = sum(threadIdx.x % 2 ? a : b, 32);
}

LAUNCH(pointer, sums<<<1, 32>>>(room<int>(32)));

// A pointer that lands far past the end of the last shared array.

__global__ void reach(const int *distance, int *out)
{
    __shared__ int a[32];
    a[threadIdx.x] = 1;
    __syncwarp(); // the array is complete
    int *p = a;
    out[threadIdx.x] = p[threadIdx.x + *distance]; // expect: array-bounds
}

CASE(far)
{
    int *distance = shared_zeros<int>(1);
    *distance = 150;
    reach<<<1, 32>>>(distance, room<int>(32));
}

// The launch asks for less dynamic shared memory than the kernel uses.

__global__ void copy(int *out)
{
    extern __shared__ int s[];
    int *squares = s + blockDim.x, t = threadIdx.x;
    s[t] = t;
    squares[t] = t * t; // expect: array-bounds
    __syncthreads();    // both arrays are complete
    out[t] = s[63 - t] + squares[63 - t];
}

LAUNCH(dynamic, copy<<<1, 64, (127 + RIGHT) * sizeof(int)>>>(room<int>(64)));

// The third number of the launch is missing: there is no dynamic memory at all.
// says: the launch gave 0 bytes

__global__ void copy_in_nothing(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x; // expect: array-bounds
    __syncthreads();              // the array is complete
    out[threadIdx.x] = s[threadIdx.x];
}

LAUNCH(dynamic_forgotten, copy_in_nothing<<<1, 64>>>(room<int>(64)));
