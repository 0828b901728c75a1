// Computes on the host.
// refused: brings data to the host
// unscreened: no kernel has written
#include "gemm.h"
#include <stdlib.h>

static void launch(const gemm_problem *p)
{
    size_t a = (size_t)p->M * p->lda, b = (size_t)p->K * p->ldb;
    size_t c = (size_t)p->M * p->ldc;
    float *x = (float *)malloc((a + b + c) * sizeof(float));
    cudaMemcpy(x, p->A, a * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(x + a, p->B, b * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(x + a + b, p->C, c * sizeof(float), cudaMemcpyDeviceToHost);
    for (int row = 0; row < p->M; row++) {
        for (int col = 0; col < p->N; col++) {
            float *to = x + a + b + row * p->ldc + col;
            float sum = 0.0f;
            for (int k = 0; k < p->K; k++)
                sum = fmaf(x[row * p->lda + k], x[a + k * p->ldb + col], sum);
            *to = p->beta == 0.0f ? p->alpha * sum
                                  : p->alpha * sum + p->beta * *to;
        }
    }
    cudaMemcpy(p->C, x + a + b, c * sizeof(float), cudaMemcpyHostToDevice);
    free(x);
}

int main(int argc, char **argv)
{
    gemm_problem *p = gemm_open(argc, argv, "gemm_01_naive");
    gemm_verify(p, launch);
    gemm_time(p, launch);
    return gemm_close(p);
}
