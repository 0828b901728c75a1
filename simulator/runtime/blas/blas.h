/**
 * @file blas.h
 * @brief What a call of cuBLAS asks for.
 *
 * calls.c makes an operation of each call, operation.c checks its memory and
 * does it when its stream has come so far, compute.c calculates.
 *
 * A vector of n elements is a matrix of one row and n columns, whose ld is the
 * distance of its elements, also 0 or below. So few kinds of operations are
 * left.
 */
#ifndef BLAS_H
#define BLAS_H

#include "../../include/cublas_v2.h"
#include "../api/api.h"

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers; /**< where alpha, beta and results are */
    cublasMath_t math;
};

/** Is a matrix read? */
typedef enum {
    READ_NEVER,
    READ_ALWAYS,
    READ_WITH_ALPHA, /**< unless alpha is 0 */
    READ_WITH_BETA   /**< unless beta is 0 */
} sim_reads;

/** A matrix in device memory; without rows or columns there is none. */
typedef struct {
    const char *name; /**< in messages: "A" */
    char *data;
    cudaDataType type;
    int64_t rows, cols;
    int64_t ld;     /**< from column to column (elements) */
    int64_t stride; /**< from one of a batch to the next (elements) */
    cublasOperation_t op;
    bool vector;
    sim_reads reads;
} sim_matrix;

/** alpha or beta. */
typedef struct {
    cudaDataType type;
    double value;     /**< known when it was called, ... */
    const void *data; /**< or in device memory; NULL: it is the value */
} sim_scalar;

typedef struct sim_operation sim_operation;

/** Calculates; all that it touches has been checked. */
typedef void (*sim_compute_fn)(const sim_operation *o);

struct sim_operation {
    const char *name; /**< of the function that was called */
    cublasHandle_t handle;
    sim_compute_fn compute;
    sim_matrix A, B, C; /**< C is written */
    sim_scalar alpha, beta;
    int64_t depth; /**< products for each element of C */
    int batches;   /**< as many of A, B and C */
    bool tf32;     /**< A and B are rounded to 10 bits of fraction */
    void *result;  /**< receives one number; NULL: none */
    bool to_host;  /**< the result is the host's, which waits for it */
};

/** With these factors, is it read? */
static inline bool sim_is_read(const sim_operation *o, const sim_matrix *x)
{
    return x->reads == READ_ALWAYS ||
           (x->reads == READ_WITH_ALPHA && o->alpha.value != 0.0) ||
           (x->reads == READ_WITH_BETA && o->beta.value != 0.0);
}

/** Do it in its turn. */
cublasStatus_t sim_blas(sim_operation *o);

/** Bytes of an element. */
size_t sim_element_bytes(cudaDataType type);

/** Element @p i of an array. */
double sim_element(cudaDataType type, const void *data, int64_t i);

/** C = alpha op(A) op(B) + beta C. */
void sim_blas_multiply(const sim_operation *o);

/** C = alpha op(A) + beta op(B), which may be C. */
void sim_blas_add(const sim_operation *o);

/** Products of A and B; magnitudes; length; place of the largest, from 1. */
void sim_blas_dot(const sim_operation *o);
void sim_blas_asum(const sim_operation *o);
void sim_blas_nrm2(const sim_operation *o);
void sim_blas_amax(const sim_operation *o);

#endif
