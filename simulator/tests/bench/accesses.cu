/**
 * @file accesses.cu
 * @brief How many memory accesses of GPU threads the simulator runs a second.
 *
 * Two matrix products, without verification: `global` loads every operand from
 * global memory, `shared` from tiles in shared memory, with two barriers a
 * tile. Every access of a thread (a lane of a warp) counts one.
 *
 * Run: tests/bench/run, or PROGRAM global|shared
 */
#include "cases.h"
#include <math.h>
#include <time.h>

#define N 512      /**< rows and columns of the matrices */
#define TILE 32    /**< edge of a block and of its tiles (elements) */
#define LAUNCHES 5 /**< of which the fastest counts */

/** Operands from global memory: 2 * N + 1 accesses a thread. */
__global__ void global(const float *A, const float *B, float *C)
{
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < N; k++)
        sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}

/** Operands from shared memory: 2 * N + 4 * N / TILE + 1 accesses a thread. */
__global__ void shared(const float *A, const float *B, float *C)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int tile = 0; tile < N; tile += TILE) {
        As[threadIdx.y][threadIdx.x] = A[row * N + tile + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = B[(tile + threadIdx.y) * N + col];
        __syncthreads(); // tiles complete before they are read
        for (int k = 0; k < TILE; k++)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads(); // tiles read before they are overwritten
    }
    C[row * N + col] = sum;
}

static double now()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/** Print the accesses per second of the fastest launch. */
static void measure(void (*kernel)(const float *, const float *, float *),
                    double accesses)
{
    float *A = zeros<float>(N * N), *B = zeros<float>(N * N);
    float *C = room<float>(N * N);
    double least = INFINITY;
    for (int i = 0; i < LAUNCHES; i++) {
        double start = now();
        kernel<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(A, B, C);
        CHECK_CUDA(cudaDeviceSynchronize());
        least = fmin(least, now() - start);
    }
    printf("%.0f\n", accesses * N * N / least);
}

CASE(global)
{
    measure(global, 2.0 * N + 1);
}

CASE(shared)
{
    measure(shared, 2.0 * N + 4.0 * N / TILE + 1);
}
