/**
 * @file compute.c
 * @brief Sums and products of matrices, in double; sums of vectors in long
 *        double.
 *
 * Products are OpenBLAS's where it is installed: a library that is looked for
 * at run time, so that no program needs it.
 */
#include <dlfcn.h>
#include <math.h>

#include "blas.h"

/* ---- elements ------------------------------------------------------------ */

size_t sim_element_bytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_64F:
        return 8;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_8I:
        return 1;
    default:
        return 4;
    }
}

double sim_element(cudaDataType type, const void *data, int64_t i)
{
    switch (type) {
    case CUDA_R_64F:
        return ((const double *)data)[i];
    case CUDA_R_16F:
        return sim_small_value(SIM_HALF, ((const uint16_t *)data)[i]);
    case CUDA_R_16BF:
        return sim_small_value(SIM_BFLOAT16, ((const uint16_t *)data)[i]);
    case CUDA_R_8I:
        return ((const int8_t *)data)[i];
    case CUDA_R_32I:
        return ((const int32_t *)data)[i];
    default:
        return ((const float *)data)[i];
    }
}

/** Round and store element @p i. */
static void set_element(cudaDataType type, void *data, int64_t i, double value)
{
    switch (type) {
    case CUDA_R_64F:
        ((double *)data)[i] = value;
        break;
    case CUDA_R_16F:
        ((uint16_t *)data)[i] = sim_small_from(SIM_HALF, SIM_TO_NEAREST, value);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)data)[i] =
            sim_small_from(SIM_BFLOAT16, SIM_TO_NEAREST, value);
        break;
    case CUDA_R_32I: /* sums wrap around */
        ((int32_t *)data)[i] = (int32_t)(uint32_t)(int64_t)value;
        break;
    default:
        ((float *)data)[i] = (float)value;
    }
}

/** Element of op(x). */
static double at(const sim_matrix *x, int64_t row, int64_t col)
{
    int64_t i = x->op == CUBLAS_OP_N ? row + col * x->ld : col + row * x->ld;
    return sim_element(x->type, x->data, i);
}

/* ---- products ------------------------------------------------------------ */

enum { COLUMN_MAJOR = 102, NO_TRANSPOSE = 111 }; /* of CBLAS */

typedef void (*dgemm_fn)(int order, int opA, int opB, int m, int n, int k,
                         double alpha, const double *A, int lda,
                         const double *B, int ldb, double beta, double *C,
                         int ldc);

/** Zeroed room for a matrix, by columns without gaps. */
static double *room(int64_t rows, int64_t cols)
{
    return sim_new((size_t)(rows * cols + 1) * sizeof(double));
}

/** A copy of op(x). */
static double *copy_of(const sim_matrix *x, int64_t rows, int64_t cols,
                       bool tf32)
{
    double *copy = room(rows, cols);
    for (int64_t col = 0; col < cols; col++)
        for (int64_t row = 0; row < rows; row++) {
            double value = at(x, row, col);
            copy[row + col * rows] = tf32 ? sim_to_tf32((float)value) : value;
        }
    return copy;
}

/** sum = A B; all are without gaps. */
static void multiply(int64_t m, int64_t n, int64_t k, const double *A,
                     const double *B, double *sum)
{
    static dgemm_fn dgemm;
    static bool looked;
    if (!looked) {
        void *library = dlopen("libopenblas.so.0", RTLD_NOW);
        dgemm = library ? (dgemm_fn)dlsym(library, "cblas_dgemm") : NULL;
        looked = true;
    }
    if (dgemm && m && n && k) {
        dgemm(COLUMN_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, (int)m, (int)n, (int)k,
              1.0, A, (int)m, B, (int)k, 0.0, sum, (int)m);
        return;
    }
    for (int64_t col = 0; col < n; col++)
        for (int64_t i = 0; i < k; i++)
            for (int64_t row = 0; row < m; row++)
                sum[row + col * m] += A[row + i * m] * B[i + col * k];
}

void sim_blas_multiply(const sim_operation *o)
{
    const sim_matrix *C = &o->C;
    double alpha = o->alpha.value, beta = o->beta.value;
    int64_t m = C->rows, n = C->cols, k = sim_is_read(o, &o->A) ? o->depth : 0;
    double *A = copy_of(&o->A, m, k, o->tf32);
    double *B = copy_of(&o->B, k, n, o->tf32);
    double *sum = room(m, n);
    multiply(m, n, k, A, B, sum);
    for (int64_t col = 0; col < n; col++)
        for (int64_t row = 0; row < m; row++) {
            double value = k ? alpha * sum[row + col * m] : 0.0;
            if (sim_is_read(o, C))
                value += beta * at(C, row, col);
            set_element(C->type, C->data, row + col * C->ld, value);
        }
    free(sum);
    free(B);
    free(A);
}

/* ---- sums ---------------------------------------------------------------- */

void sim_blas_add(const sim_operation *o)
{
    const sim_matrix *C = &o->C;
    double alpha = o->alpha.value, beta = o->beta.value;
    for (int64_t col = 0; col < C->cols; col++)
        for (int64_t row = 0; row < C->rows; row++) {
            double value = 0.0;
            if (sim_is_read(o, &o->A))
                value = alpha * at(&o->A, row, col);
            if (sim_is_read(o, &o->B))
                value += beta * at(&o->B, row, col);
            set_element(C->type, C->data, row + col * C->ld, value);
        }
}

void sim_blas_dot(const sim_operation *o)
{
    long double sum = 0.0L;
    for (int64_t i = 0; i < o->A.cols; i++)
        sum += (long double)at(&o->A, 0, i) * at(&o->B, 0, i);
    set_element(o->A.type, o->result, 0, (double)sum);
}

void sim_blas_asum(const sim_operation *o)
{
    long double sum = 0.0L;
    for (int64_t i = 0; i < o->A.cols; i++)
        sum += fabs(at(&o->A, 0, i));
    set_element(o->A.type, o->result, 0, (double)sum);
}

void sim_blas_nrm2(const sim_operation *o)
{
    long double sum = 0.0L; /* has room for any square */
    for (int64_t i = 0; i < o->A.cols; i++)
        sum += (long double)at(&o->A, 0, i) * at(&o->A, 0, i);
    set_element(o->A.type, o->result, 0, (double)sqrtl(sum));
}

void sim_blas_amax(const sim_operation *o)
{
    int64_t place = 0;
    double most = -1.0;
    for (int64_t i = 0; i < o->A.cols && !isnan(most); i++)
        if (!(fabs(at(&o->A, 0, i)) <= most)) { /* larger, or NaN */
            most = fabs(at(&o->A, 0, i));
            place = i + 1;
        }
    *(int *)o->result = (int)place;
}
