// Writes from the host to what only the device may write.
// wrong: the program ended
#include "gemm.h"

static void launch(const gemm_problem *p)
{
    for (int row = 0; row < p->M; row++)
        for (int col = 0; col < p->N; col++)
            p->C[(int64_t)row * p->ldc + col] = 0.0f;
}

int main(int argc, char **argv)
{
    gemm_problem *p = gemm_open(argc, argv, "gemm_01_naive");
    gemm_verify(p, launch);
    gemm_time(p, launch);
    return gemm_close(p);
}
