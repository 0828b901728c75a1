/**
 * @file reference.cu
 * @brief The float64 reference on the GPU against the one on the CPU.
 *
 * tests/unit runs it in the simulator as well.
 *
 * Run: make test-gpu, or build/gpu/tests/reference
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

static int failed;

static float *to_device(const float *h_x, size_t floats)
{
    float *d_x = (float *)device_alloc(floats * sizeof(float));
    CUDA_CHECK(
        cudaMemcpy(d_x, h_x, floats * sizeof(float), cudaMemcpyHostToDevice));
    return d_x;
}

/** Host memory as an array of float32, [rows x cols]. */
static array matrix(float *h_x, int rows, int cols, int ld)
{
    array a = {};
    a.type = ELEMENT_FLOAT32;
    a.host = h_x;
    array_2d(&a, rows, cols, ld);
    return a;
}

/** Compare rows [row, row + rows) of one problem. */
static void compare(int M, int N, int K, float alpha, float beta, int row,
                    int rows, bool grid)
{
    int lda = K + 4, ldb = N + 8, ldc = N + 4;
    size_t A = (size_t)M * lda, B = (size_t)K * ldb, C = (size_t)M * ldc;
    size_t cells = (size_t)rows * N;
    float *h_A = (float *)host_alloc(A * sizeof(float));
    float *h_B = (float *)host_alloc(B * sizeof(float));
    float *h_C = (float *)host_alloc(C * sizeof(float));
    array a = matrix(h_A, M, K, lda);
    array b = matrix(h_B, K, N, ldb);
    array c = matrix(h_C, M, N, ldc);
    if (grid) {
        fill_grid_left(&a, 1);
        fill_grid_right(&b, 2);
    } else {
        fill_random(&a, 1);
        fill_random(&b, 2);
    }
    fill_random(&c, 3);
    if (beta == 0.0f)
        h_C[(size_t)row * ldc] = NAN; // must not be read

    // want and bound of the CPU, then both of the GPU
    double *cpu = (double *)host_alloc(2 * cells * sizeof(double));
    double *gpu = (double *)host_alloc(2 * cells * sizeof(double));
    double *d_gpu = (double *)device_alloc(2 * cells * sizeof(double));
    gemm_problem p = {M, N, K, alpha, beta, h_A, lda, h_B, ldb, h_C, ldc, 0};
    band part = {row, 0, rows, N};
    gemm_problem q = reference_part(&p, &part);
    reference_gemm(&q, cpu, cpu + cells);
    p.A = to_device(h_A, A);
    p.B = to_device(h_B, B);
    p.C = to_device(h_C, C);
    q = reference_part(&p, &part);
    reference_gemm_gpu(&q, d_gpu, d_gpu + cells);
    CUDA_CHECK(cudaMemcpy(gpu, d_gpu, 2 * cells * sizeof(double),
                          cudaMemcpyDeviceToHost));

    // Both differ from the truth by at most about K * 2^-53 of the sum's size,
    // 2^-29 of the bound; grid sums are exact.
    double worst = 0.0, worst_bound = 0.0;
    for (size_t i = 0; i < cells; i++) {
        double error = fabs(gpu[i] - cpu[i]) / cpu[cells + i];
        double ratio = fabs(gpu[cells + i] / cpu[cells + i] - 1.0);
        worst = error <= worst ? worst : error; // NaN becomes the worst
        worst_bound = ratio <= worst_bound ? worst_bound : ratio;
    }
    bool ok = worst <= (grid ? 0.0 : 0x1p-28) && worst_bound <= 1e-9;
    bool guards = !device_guard_broken(d_gpu);
    printf("%s  %d x %d x %d, alpha %g, beta %g, rows %d to %d, %s: "
           "%.2g of the bound\n",
           ok && guards ? "pass" : "FAIL", M, N, K, alpha, beta, row,
           row + rows - 1, grid ? "grid" : "random", worst);
    failed += !(ok && guards);

    device_free((void *)p.A);
    device_free((void *)p.B);
    device_free(p.C);
    device_free(d_gpu);
    free(h_A);
    free(h_B);
    free(h_C);
    free(cpu);
    free(gpu);
}

int main()
{
    device_info device = device_open(0);
    compare(1, 1, 1, 1.0f, 0.0f, 0, 1, false);
    compare(1, 1, 1, 1.0f, 0.0f, 0, 1, true);
    compare(16, 16, 16, 1.0f, 0.0f, 0, 16, false);
    compare(17, 33, 15, 1.5f, -0.5f, 0, 17, false);
    compare(17, 33, 15, 0.5f, -1.0f, 0, 17, true);
    compare(50, 19, 70, -2.0f, 3.0f, 13, 21, false); // a band in the middle
    compare(3, 5, 1000, 0.0f, 2.0f, 2, 1, false);
    compare(2, 2, 140000, 1.0f, 0.0f, 0, 2, true);
    if (!device.simulator)
        compare(1000, 3000, 500, 1.0f, 0.5f, 0, 1000, false);
    return failed > 0;
}
