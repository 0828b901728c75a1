/**
 * @file vector_add.cu
 * @brief The first program: a million sums, and nothing but CUDA itself.
 *
 * c[i] = a[i] + b[i] for N floats, with one thread for each sum.
 *
 * Run:     make chapter=vector_add run
 *          or without make: nvcc vector_add.cu -o vector_add && ./vector_add
 */

#include <stdio.h>
#include <stdlib.h>

#define N 1000000 /**< sums */
#define BLOCK 256 /**< threads in a block */

/** End the program with the reason if a call of CUDA has failed. */
static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        printf("CUDA error: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// [kernel]
/** One thread computes one sum. */
__global__ void add_kernel(int n, const float *a, const float *b, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
// [kernel]

int main(void)
{
    static float a[N], b[N], c[N]; // in the memory of the CPU
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }

    // [there]
    float *d_a, *d_b, *d_c; // in the memory of the GPU
    check(cudaMalloc(&d_a, sizeof(a)));
    check(cudaMalloc(&d_b, sizeof(b)));
    check(cudaMalloc(&d_c, sizeof(c)));
    check(cudaMemcpy(d_a, a, sizeof(a), cudaMemcpyHostToDevice));
    check(cudaMemcpy(d_b, b, sizeof(b), cudaMemcpyHostToDevice));
    // [there]

    // [back]
    int blocks = (N + BLOCK - 1) / BLOCK; // rounded up
    add_kernel<<<blocks, BLOCK>>>(N, d_a, d_b, d_c);
    check(cudaGetLastError()); // was the launch accepted?

    check(cudaMemcpy(c, d_c, sizeof(c), cudaMemcpyDeviceToHost));
    // [back]

    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    printf("%d sums, %d of them wrong\n", N, wrong);

    check(cudaFree(d_a));
    check(cudaFree(d_b));
    check(cudaFree(d_c));
    return wrong != 0;
}
