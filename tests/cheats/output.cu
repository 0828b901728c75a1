// Puts a pipe where its output is read, which nobody ever fills.
// refused: it includes
// unscreened: ended with status 10
#include "gemm.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void launch(const gemm_problem *)
{
    unlink("output");
    exit(mkfifo("output", 0600) == 0 ? 10 : 11);
}

int main(int argc, char **argv)
{
    gemm_problem *p = gemm_open(argc, argv, "gemm_01_naive");
    gemm_verify(p, launch);
    gemm_time(p, launch);
    return gemm_close(p);
}
