/**
 * @file library.cuh
 * @brief The same by cuBLAS, C = 1 * A^T + 0 * C, and what copying the elements
 *        takes. GPU builds only.
 */

#if !SIMULATED

#include "cublas.cuh"

#ifdef CUBLAS_VERSION

static const char *geam_open(void)
{
    const int64_t most = INT32_MAX;
    if (problem.ld_in > most || problem.ld_out > most)
        return "its sizes are int";
    return cublas_open();
}

/** cuBLAS is column-major: what it reads by columns are our rows. */
static void geam_enqueue(const void *problem)
{
    const transposition *t = (const transposition *)problem;
    float one = 1, zero = 0;
    check(cublasSgeam(cublas, CUBLAS_OP_T, CUBLAS_OP_N, (int)t->rows,
                      (int)t->cols, &one, t->in, (int)t->ld_in, &zero, t->out,
                      (int)t->ld_out, t->out, (int)t->ld_out),
          "cublasSgeam");
}

#endif

/** A copy of whole lines would write into the padding of the output. */
static const char *copy_open(void)
{
    return problem.ld_out == problem.rows ? NULL : "rows of out have padding";
}

static void copy_enqueue(const void *problem)
{
    const transposition *t = (const transposition *)problem;
    floor_copy(t->in, t->out, (size_t)(t->rows * t->cols) * sizeof(float));
}

static const variant libraries[] = {
#ifdef CUBLAS_VERSION
    {"cublasSgeam", "cuBLAS", geam_enqueue, geam_open, cublas_close},
#else
    {"cublasSgeam"},
#endif
    {"copy", "copies as many bytes", copy_enqueue, copy_open, .floor = true},
};

#endif
