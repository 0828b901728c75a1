#include "cases.h"

// counted only: plain mode sees no access
// SIM_COVERAGE=1: what no thread has written, what two have, and idle lanes.

#define N 3000
#define I (int)(blockIdx.x * blockDim.x + threadIdx.x)

static double host[2 * N];

template <class T, int FIRST = 0, int LESS = 0, int STEP = 1>
__global__ void fill(T *y, int n)
{
    int i = FIRST + I * STEP;
    if (i < n - LESS)
        y[i] = i;
}

// Meant so: a part that the kernel is told, without the border, in place, where
// data decide; a part of which the host reads no more; a copy of a part; heads
// of some columns; a row of few pieces of 16 bytes.

__global__ void more(float *y, int n)
{
    y[I] += n;
}

__global__ void keep(float *y, int n, int *kept)
{
    if (I < n && I * I % 7 > 1)
        y[atomicAdd(kept, 1)] = I;
}

__global__ void columns(float *y, int heads, int each)
{
    if (I < N && I % 100 < heads * each)
        y[I] = I;
}

__global__ void row_of_fours(int *y, int cols)
{
    if (threadIdx.x % 32 < cols / 4)
        y[I] = 1;
}

CASE(on_purpose)
{
    float *y[7];
    for (int i = 0; i < 7; i++)
        y[i] = zeros<float>(N);
    fill<float><<<12, 256>>>(y[0], N / 2);
    fill<float, 1, 1><<<12, 256>>>(y[1], N);
    more<<<8, 256>>>(y[2], N);
    keep<<<12, 256>>>(y[3], N, zeros<int>(1));
    fill<float><<<8, 256>>>(y[4], N);
    cudaMemcpy(y[5], y[4], N * sizeof(float), cudaMemcpyDefault);
    columns<<<12, 256>>>(y[6], 3, 25);
    row_of_fours<<<64, 128>>>(room<int>(1 << 13), 36);
    for (int i = 0; i < 7; i++)
        cudaMemcpy(host, y[i], i == 4 ? 2048 : 4 * N, cudaMemcpyDefault);
}

// The grid is too small; it begins late, ends early, leaves every other one.

void home(const void *y, int bytes)
{
    cudaMemcpy(host, y, bytes, cudaMemcpyDefault); // expect: coverage-note
}

template <class T>
void gap(void (*kernel)(T *, int), int blocks, T *y)
{
    kernel<<<blocks, 256>>>(y, N);
    home(y, N * sizeof(T));
}

LAUNCH(floor, // says: p[2816] to p[2999]
       gap(fill<float>, 11 + RIGHT, zeros<float>(N)));
LAUNCH(floor_bytes, // says: 2816 x 1 x 1 threads: its grid is too small
       gap(fill<char>, 11 + RIGHT, zeros<char>(N)));
LAUNCH(floor_unset, // says: p[2816] to p[2999]
       gap(fill<double>, 11 + RIGHT, room<double>(N)));
LAUNCH(late, // says: no thread has written p[0]
       gap(fill<float, !RIGHT>, 12, zeros<float>(N)));
LAUNCH(early, // says: 3072 x 1 x 1 threads: is its guard right
       gap(fill<float, 0, !RIGHT>, 12, zeros<float>(N)));
LAUNCH(every_other, // says: p[1], and so on every 2
       gap(fill<float, 0, 0, 2 - RIGHT>, 12, zeros<float>(N)));

// Tiles of a matrix of 30 rows and 100 columns.

__global__ void tile(float *c, int cols)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row * cols < N && I < cols)
        c[row * cols + I] = row;
}

void matrix(int x, int y)
{
    float *c = zeros<float>(N);
    tile<<<dim3(x, y), dim3(16, 16)>>>(c, 100);
    home(c, 4 * N);
}

LAUNCH(columns, // says: p[96] to p[99], and so on
       matrix(6 + RIGHT, 2));
LAUNCH(rows, // says: p[1600] to p[2999]
       matrix(7, 1 + RIGHT));
LAUNCH(corner, // says: 96 x 16 x 1 threads: its grid is too small
       matrix(6 + RIGHT, 1 + RIGHT));

// What is written is never read; lanes have no thread, or none that passes.

__global__ void twice(int *y)
{
    y[I] = 0;
    __syncthreads();            // all are 0
    y[RIGHT ? I : 255 - I] = I; // expect: coverage-note
}

LAUNCH(twice, twice<<<1, 256>>>(room<int>(256)));

template <int LANES>
__global__ void some(int *y)
{
    if (threadIdx.x % 32 < LANES)
        y[I] = 1;
}

void idle(void (*kernel)(int *), int threads)
{
    kernel<<<64, threads>>>(room<int>(1 << 13)); // expect: coverage-note
}

LAUNCH(half_warps, // says: lanes 17 to 31 of every warp
       idle(some<32>, RIGHT ? 32 : 17));
LAUNCH(half_guarded, // says: is the guard meant so
       idle(some<RIGHT ? 32 : 16>, 128));
