// Calls the library.
// refused: calls a library
#include "gemm.h"
#include <cublas_v2.h>

static void launch(const gemm_problem *p)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->N, p->M, p->K, &p->alpha,
                p->B, p->ldb, p->A, p->lda, &p->beta, p->C, p->ldc);
}

int main(int argc, char **argv)
{
    gemm_problem *p = gemm_open(argc, argv, "gemm_01_naive");
    gemm_verify(p, launch);
    gemm_time(p, launch);
    return gemm_close(p);
}
