/**
 * @file accesses.cu
 * @brief How many memory accesses of GPU threads the simulator runs a second.
 *
 * Two matrix products, without verification: `global` loads every operand from
 * global memory, `shared` from tiles in shared memory, with two barriers a
 * tile. Every access of a thread (a lane of a warp) counts one.
 *
 * Run: tests/bench/run, or PROGRAM global|shared
 * Prints the accesses per second of the fastest launch.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime.h>

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc != 2 || (strcmp(argv[1], "global") && strcmp(argv[1], "shared"))) {
        fprintf(stderr, "usage: %s global|shared\n", argv[0]);
        return 2;
    }
    int in_shared = !strcmp(argv[1], "shared");
    size_t bytes = sizeof(float) * N * N;
    float *A, *B, *C;
    cudaMalloc(&A, bytes);
    cudaMalloc(&B, bytes);
    cudaMalloc(&C, bytes);
    cudaMemset(A, 0, bytes);
    cudaMemset(B, 0, bytes);

    dim3 block(TILE, TILE);
    dim3 grid(N / TILE, N / TILE);
    double least = INFINITY;
    for (int i = 0; i < LAUNCHES; i++) {
        double start = now();
        if (in_shared)
            shared<<<grid, block>>>(A, B, C);
        else
            global<<<grid, block>>>(A, B, C);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return 1;
        least = fmin(least, now() - start);
    }

    double each = 2.0 * N + 1 + (in_shared ? 4.0 * N / TILE : 0);
    printf("%.0f\n", each * N * N / least);
    return 0;
}
