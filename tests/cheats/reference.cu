// Has the verifier's reference compute the result, and copies that.
// refused: uses
// unscreened: the program ended
#include "gemm.h"
#include <stdlib.h>

extern "C" void reference_gemm(const gemm_problem *p, double *want,
                               double *bound);

static void launch(const gemm_problem *p)
{
    size_t count = (size_t)p->M * p->N;
    double *want = (double *)malloc(2 * count * sizeof(double));
    reference_gemm(p, want, want + count);
    for (int row = 0; row < p->M; row++)
        for (int col = 0; col < p->N; col++)
            p->C[(int64_t)row * p->ldc + col] = (float)want[row * p->N + col];
    free(want);
}

int main(int argc, char **argv)
{
    gemm_problem *p = gemm_open(argc, argv, "gemm_01_naive");
    gemm_verify(p, launch);
    gemm_time(p, launch);
    return gemm_close(p);
}
