/**
 * @file calls.c
 * @brief The functions of cublas_v2.h: check arguments, fill in an operation.
 *
 * What cuBLAS only calls an invalid value is a note that names it.
 */
#include "blas.h"

/** Say what is wrong with a call. */
static cublasStatus_t invalid(const char *text)
{
    sim_finding("cublas-argument-note", sim_caller(), "%s", text);
    return CUBLAS_STATUS_INVALID_VALUE;
}

/** Say what is not supported. */
static cublasStatus_t unsupported(const char *text)
{
    invalid(text);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

/* ---- handles ------------------------------------------------------------- */

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    if (!handle)
        return invalid("cublasCreate: the pointer to a handle is NULL");
    sim_memory_open();
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    free(handle);
    return cudaDeviceSynchronize() ? CUBLAS_STATUS_EXECUTION_FAILED
                                   : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version)
{
    (void)handle;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

/** What can be set and asked for: Name, type, member of the handle. */
#define PROPERTY(Name, type, member)                                           \
    cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value)          \
    {                                                                          \
        if (!handle)                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                              \
        handle->member = value;                                                \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }                                                                          \
    cublasStatus_t cublasGet##Name(cublasHandle_t handle, type *value)         \
    {                                                                          \
        if (!handle)                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                              \
        *value = handle->member;                                               \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }

PROPERTY(Stream, cudaStream_t, stream)
PROPERTY(PointerMode, cublasPointerMode_t, pointers)
PROPERTY(MathMode, cublasMath_t, math)

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace,
                                  size_t bytes)
{
    (void)workspace; /* nothing here needs any */
    (void)bytes;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

/** The statuses, and one for what is none. */
static const struct {
    int number;
    const char *name, *text;
} statuses[] = {
#define X(name, number, text) {number, #name, text},
    SIM_CUBLAS_STATUS(X)
#undef X
        {-1, "unknown status", "unknown status"}};

/** Its place in the table. */
static size_t place_of(cublasStatus_t status)
{
    size_t last = sizeof statuses / sizeof *statuses - 1, i = 0;
    while (i < last && statuses[i].number != (int)status)
        i++;
    return i;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    return statuses[place_of(status)].name;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return statuses[place_of(status)].text;
}

/* ---- checks of arguments ------------------------------------------------- */

#define NONE ((sim_matrix){0})

/** Has a matrix a size, an op() and room for its rows, a vector a step? */
static cublasStatus_t check(const sim_operation *o, const sim_matrix *x)
{
    if (!x->name)
        return CUBLAS_STATUS_SUCCESS;
    if (x->vector) {
        if (x->ld || o->compute != sim_blas_multiply)
            return CUBLAS_STATUS_SUCCESS;
        return invalid(sim_format("%s: inc%s cannot be 0", o->name, x->name));
    }
    if (x->op != CUBLAS_OP_N && x->op != CUBLAS_OP_T && x->op != CUBLAS_OP_C)
        return invalid(sim_format("%s: the operation of %s is %d, which is "
                                  "neither CUBLAS_OP_N nor T nor C",
                                  o->name, x->name, (int)x->op));
    if (x->rows < 0 || x->cols < 0)
        return invalid(sim_format("%s: %s would be %lld x %lld", o->name,
                                  x->name, (long long)x->rows,
                                  (long long)x->cols));
    if (x->ld < x->rows || x->ld < 1)
        return invalid(sim_format(
            "%s: the columns of %s have %lld elements\nso its ld, the distance "
            "of columns, cannot be %lld. An array that lies by rows is its "
            "transpose here, which CUBLAS_OP_T turns",
            o->name, x->name, (long long)x->rows, (long long)x->ld));
    return CUBLAS_STATUS_SUCCESS;
}

/** In pointer mode HOST: can the host use it? Says that it cannot. */
static bool is_for_host(const sim_operation *o, const char *name,
                        const void *data)
{
    uintptr_t a = (uintptr_t)data;
    if (sim_is_for_both(a) || !(in_arena(a) || sim_is_variable(a)))
        return true;
    sim_finding(
        "host-dereference", sim_caller(),
        "%s: %s is in device memory, and the handle's pointer mode is HOST",
        o->name, name);
    return false;
}

/** The factor of a function that has none. */
static const double one = 1.0;

/** Fill in a factor: known now, or when the operation is done.
 *  @return false: it cannot be read */
static bool factor(const sim_operation *o, const char *name, cudaDataType type,
                   const void *data, sim_scalar *x)
{
    *x = (sim_scalar){type, one, NULL};
    if (data == &one)
        return true;
    if (o->handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
        x->data = data;
        return true;
    }
    if (!is_for_host(o, name, data))
        return false;
    bool both = sim_is_for_both((uintptr_t)data);
    if (both) /* managed memory may be closed, and nobody changes a factor */
        sim_memory_enter();
    x->value = sim_element(type, data, 0);
    if (both)
        sim_memory_leave(false, 0);
    return true;
}

/** Check and do it. */
static cublasStatus_t call(sim_operation *o, cudaDataType type,
                           const void *alpha, const void *beta)
{
    if (!o->handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const sim_matrix *all[] = {&o->A, &o->B, &o->C};
    for (int i = 0; i < 3; i++) {
        cublasStatus_t status = check(o, all[i]);
        if (status)
            return status;
    }
    if (o->depth < 0 || o->batches < 0)
        return invalid(
            sim_format("%s: a negative number of elements", o->name));
    if (!alpha || !beta)
        return invalid(sim_format("%s: alpha or beta is NULL", o->name));
    if (!factor(o, "alpha", type, alpha, &o->alpha) ||
        !factor(o, "beta", type, beta, &o->beta))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return sim_blas(o);
}

/** A vector: one row. */
static sim_matrix vector(const char *name, const void *data, cudaDataType type,
                         int n, int inc, sim_reads reads)
{
    sim_matrix x = {.name = name,
                    .data = (char *)data,
                    .type = type,
                    .rows = 1,
                    .cols = n > 0 ? n : 0,
                    .ld = inc,
                    .vector = true,
                    .reads = reads};
    if (data && x.cols && inc < 0)
        x.data += (1 - x.cols) * inc * (int64_t)sim_element_bytes(type);
    return x;
}

/** The x of functions for which it is empty unless its step is above 0. */
static sim_matrix forward(const void *data, cudaDataType type, int n, int inc,
                          sim_reads reads)
{
    return vector("x", data, type, inc > 0 ? n : 0, inc, reads);
}

/** A matrix of which op() has so many rows and columns. */
static sim_matrix matrix(const char *name, const void *data, cudaDataType type,
                         cublasOperation_t op, int64_t rows, int64_t cols,
                         int64_t ld, sim_reads reads)
{
    bool turned = op != CUBLAS_OP_N;
    return (sim_matrix){.name = name,
                        .data = (char *)data,
                        .type = type,
                        .rows = turned ? cols : rows,
                        .cols = turned ? rows : cols,
                        .ld = ld,
                        .op = op,
                        .reads = reads};
}

/* ---- for float and double ------------------------------------------------ */

/** A number of a vector, or of two. */
static cublasStatus_t reduce(const char *name, cublasHandle_t handle,
                             sim_compute_fn compute, sim_matrix x, sim_matrix y,
                             void *result, cudaDataType type)
{
    sim_operation o = {.name = name, .handle = handle, .A = x, .B = y};
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!result || (x.cols && !x.data) || (y.cols && !y.data))
        return invalid(sim_format("%s: a vector or the result is NULL", name));
    o.compute = compute;
    o.batches = 1;
    o.result = result;
    o.to_host = handle->pointers == CUBLAS_POINTER_MODE_HOST;
    if (!o.to_host)
        o.C = vector("its result", result, type, 1, 1, READ_NEVER);
    else if (!is_for_host(&o, "its result", result))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return call(&o, x.type, &one, &one);
}

/** C = alpha op(A) + beta op(B). */
static cublasStatus_t add(const char *name, cublasHandle_t handle,
                          cudaDataType type, const void *alpha, sim_matrix A,
                          const void *beta, sim_matrix B, sim_matrix C)
{
    sim_operation o = {.name = name, .handle = handle, .A = A, .B = B, .C = C};
    o.compute = sim_blas_add;
    o.batches = 1;
    return call(&o, type, alpha, beta);
}

/** Does an operand lie as C does, if it is C? */
static bool fits(const sim_matrix *x, const sim_matrix *C)
{
    return x->data != C->data || (x->op == CUBLAS_OP_N && x->ld == C->ld);
}

/** The same of matrices: C may be A or B. */
static cublasStatus_t geam(const char *name, cublasHandle_t handle,
                           cudaDataType type, const void *alpha, sim_matrix A,
                           const void *beta, sim_matrix B, sim_matrix C)
{
    if (handle && !(fits(&A, &C) && fits(&B, &C)))
        return invalid(sim_format(
            "%s: a matrix that is C needs CUBLAS_OP_N and the ld of C", name));
    return add(name, handle, type, alpha, A, beta, B, C);
}

/** C = alpha op(A) op(B) + beta C. */
static cublasStatus_t multiply(const char *name, cublasHandle_t handle,
                               cudaDataType type, const void *alpha,
                               sim_matrix A, sim_matrix B, const void *beta,
                               sim_matrix C, int64_t depth)
{
    sim_operation o = {.name = name, .handle = handle, .A = A, .B = B, .C = C};
    o.compute = sim_blas_multiply;
    o.depth = depth;
    o.batches = 1;
    return call(&o, type, alpha, beta);
}

/** What undoes it; what is no operation stays so. */
static cublasOperation_t turned_op(cublasOperation_t op)
{
    return op == CUBLAS_OP_N                        ? CUBLAS_OP_T
           : op == CUBLAS_OP_T || op == CUBLAS_OP_C ? CUBLAS_OP_N
                                                    : op;
}

/** A number of one vector. */
#define OF_X(function, T, TYPE, Result, RESULT, compute)                       \
    cublasStatus_t function(cublasHandle_t handle, int n, const T *x,          \
                            int incx, Result *result)                          \
    {                                                                          \
        return reduce(__func__, handle, compute,                               \
                      forward(x, TYPE, n, incx, READ_ALWAYS), NONE, result,    \
                      RESULT);                                                 \
    }

/* A row of y is x A, where A lies the other way round than in y = A x. */
#define OF(T, L, l, TYPE)                                                      \
    OF_X(cublasI##l##amax, T, TYPE, int, CUDA_R_32I, sim_blas_amax)            \
    OF_X(cublas##L##asum, T, TYPE, T, TYPE, sim_blas_asum)                     \
    OF_X(cublas##L##nrm2, T, TYPE, T, TYPE, sim_blas_nrm2)                     \
    cublasStatus_t cublas##L##dot(cublasHandle_t handle, int n, const T *x,    \
                                  int incx, const T *y, int incy, T *result)   \
    {                                                                          \
        return reduce(__func__, handle, sim_blas_dot,                          \
                      vector("x", x, TYPE, n, incx, READ_ALWAYS),              \
                      vector("y", y, TYPE, n, incy, READ_ALWAYS), result,      \
                      TYPE);                                                   \
    }                                                                          \
    cublasStatus_t cublas##L##scal(cublasHandle_t handle, int n,               \
                                   const T *alpha, T *x, int incx)             \
    {                                                                          \
        return add(__func__, handle, TYPE, alpha,                              \
                   forward(x, TYPE, n, incx, READ_ALWAYS), &one, NONE,         \
                   forward(x, TYPE, n, incx, READ_NEVER));                     \
    }                                                                          \
    cublasStatus_t cublas##L##copy(cublasHandle_t handle, int n, const T *x,   \
                                   int incx, T *y, int incy)                   \
    {                                                                          \
        return add(__func__, handle, TYPE, &one,                               \
                   vector("x", x, TYPE, n, incx, READ_ALWAYS), &one, NONE,     \
                   vector("y", y, TYPE, n, incy, READ_NEVER));                 \
    }                                                                          \
    cublasStatus_t cublas##L##axpy(cublasHandle_t handle, int n,               \
                                   const T *alpha, const T *x, int incx, T *y, \
                                   int incy)                                   \
    {                                                                          \
        return add(__func__, handle, TYPE, alpha,                              \
                   vector("x", x, TYPE, n, incx, READ_WITH_ALPHA), &one,       \
                   vector("y", y, TYPE, n, incy, READ_ALWAYS),                 \
                   vector("y", y, TYPE, n, incy, READ_NEVER));                 \
    }                                                                          \
    cublasStatus_t cublas##L##ger(cublasHandle_t handle, int m, int n,         \
                                  const T *alpha, const T *x, int incx,        \
                                  const T *y, int incy, T *A, int lda)         \
    {                                                                          \
        sim_matrix column = vector("x", x, TYPE, m, incx, READ_WITH_ALPHA);    \
        column.op = CUBLAS_OP_T;                                               \
        return multiply(                                                       \
            __func__, handle, TYPE, alpha, column,                             \
            vector("y", y, TYPE, n, incy, READ_WITH_ALPHA), &one,              \
            matrix("A", A, TYPE, CUBLAS_OP_N, m, n, lda, READ_WITH_BETA), 1);  \
    }                                                                          \
    cublasStatus_t cublas##L##gemv(                                            \
        cublasHandle_t handle, cublasOperation_t op, int m, int n,             \
        const T *alpha, const T *A, int lda, const T *x, int incx,             \
        const T *beta, T *y, int incy)                                         \
    {                                                                          \
        int inner = op == CUBLAS_OP_N ? n : m;                                 \
        int outer = op == CUBLAS_OP_N ? m : n;                                 \
        sim_matrix turned =                                                    \
            matrix("A", A, TYPE, CUBLAS_OP_N, m, n, lda, READ_WITH_ALPHA);     \
        turned.op = turned_op(op);                                             \
        return multiply(                                                       \
            __func__, handle, TYPE, alpha,                                     \
            vector("x", x, TYPE, inner, incx, READ_WITH_ALPHA), turned, beta,  \
            vector("y", y, TYPE, outer, incy, READ_WITH_BETA), inner);         \
    }                                                                          \
    cublasStatus_t cublas##L##geam(                                            \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, const T *alpha, const T *A, int lda, const T *beta,      \
        const T *B, int ldb, T *C, int ldc)                                    \
    {                                                                          \
        return geam(__func__, handle, TYPE, alpha,                             \
                    matrix("A", A, TYPE, opA, m, n, lda, READ_WITH_ALPHA),     \
                    beta,                                                      \
                    matrix("B", B, TYPE, opB, m, n, ldb, READ_WITH_BETA),      \
                    matrix("C", C, TYPE, CUBLAS_OP_N, m, n, ldc, READ_NEVER)); \
    }

OF(float, S, s, CUDA_R_32F)
OF(double, D, d, CUDA_R_64F)

/* ---- products of matrices ------------------------------------------------ */

/** Which types may be multiplied, in what, and of what type are the factors? */
static const struct {
    cudaDataType A, C;
    cublasComputeType_t compute;
    cudaDataType factors;
} known[] = {
    {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F},
    {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F},
    {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I},
};

/** Multiply a batch: the parameters of cublasGemmStridedBatchedEx. */
static cublasStatus_t gemm(const char *name, cublasHandle_t handle,
                           cublasOperation_t opA, cublasOperation_t opB, int m,
                           int n, int k, const void *alpha, const void *A,
                           cudaDataType typeA, int lda, long long strideA,
                           const void *B, cudaDataType typeB, int ldb,
                           long long strideB, const void *beta, void *C,
                           cudaDataType typeC, int ldc, long long strideC,
                           int batches, cublasComputeType_t compute)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    int math = handle->math & 3;
    bool fast = compute >= CUBLAS_COMPUTE_32F_FAST_16F;
    bool pedantic = math == CUBLAS_PEDANTIC_MATH || (!fast && compute & 1);
    compute = fast ? CUBLAS_COMPUTE_32F : compute & ~1; /* no _PEDANTIC */
    sim_operation o = {
        .name = name,
        .handle = handle,
        .compute = sim_blas_multiply,
        .A = matrix("A", A, typeA, opA, m, k, lda, READ_WITH_ALPHA),
        .B = matrix("B", B, typeB, opB, k, n, ldb, READ_WITH_ALPHA),
        .C = matrix("C", C, typeC, CUBLAS_OP_N, m, n, ldc, READ_WITH_BETA),
        .depth = k,
        .batches = batches,
        .tf32 = typeA == CUDA_R_32F && !pedantic && (fast || math)};
    o.A.stride = strideA;
    o.B.stride = strideB;
    o.C.stride = strideC;
    if (typeA == CUDA_R_8I && (lda % 4 || ldb % 4))
        return unsupported(sim_format(
            "%s: with 8-bit integers lda and ldb are multiples of 4", name));
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].A == typeA && known[i].A == typeB && known[i].C == typeC &&
            known[i].compute == compute)
            return call(&o, known[i].factors, alpha, beta);
    return unsupported(
        sim_format("%s: these types are not multiplied in this one", name));
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m,
    int n, int k, const void *alpha, const void *A, cudaDataType typeA, int lda,
    long long strideA, const void *B, cudaDataType typeB, int ldb,
    long long strideB, const void *beta, void *C, cudaDataType typeC, int ldc,
    long long strideC, int batches, cublasComputeType_t compute,
    cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return gemm(__func__, handle, opA, opB, m, n, k, alpha, A, typeA, lda,
                strideA, B, typeB, ldb, strideB, beta, C, typeC, ldc, strideC,
                batches, compute);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA,
                            cublasOperation_t opB, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType typeA, int lda, const void *B,
                            cudaDataType typeB, int ldb, const void *beta,
                            void *C, cudaDataType typeC, int ldc,
                            cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return gemm(__func__, handle, opA, opB, m, n, k, alpha, A, typeA, lda, 0, B,
                typeB, ldb, 0, beta, C, typeC, ldc, 0, 1, compute);
}

#define GEMM(T, L, TYPE, COMPUTE)                                              \
    cublasStatus_t cublas##L##gemmStridedBatched(                              \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, int k, const T *alpha, const T *A, int lda,              \
        long long strideA, const T *B, int ldb, long long strideB,             \
        const T *beta, T *C, int ldc, long long strideC, int batches)          \
    {                                                                          \
        return gemm(__func__, handle, opA, opB, m, n, k, alpha, A, TYPE, lda,  \
                    strideA, B, TYPE, ldb, strideB, beta, C, TYPE, ldc,        \
                    strideC, batches, COMPUTE);                                \
    }                                                                          \
    cublasStatus_t cublas##L##gemm(                                            \
        cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB,   \
        int m, int n, int k, const T *alpha, const T *A, int lda, const T *B,  \
        int ldb, const T *beta, T *C, int ldc)                                 \
    {                                                                          \
        return gemm(__func__, handle, opA, opB, m, n, k, alpha, A, TYPE, lda,  \
                    0, B, TYPE, ldb, 0, beta, C, TYPE, ldc, 0, 1, COMPUTE);    \
    }

GEMM(float, S, CUDA_R_32F, CUBLAS_COMPUTE_32F)
GEMM(double, D, CUDA_R_64F, CUBLAS_COMPUTE_64F)
GEMM(struct __half, H, CUDA_R_16F, CUBLAS_COMPUTE_16F)

/* ---- copies -------------------------------------------------------------- */

/** Copy a matrix. */
static cublasStatus_t copy(const char *name, int rows, int cols, int bytes,
                           const void *from, int from_ld, void *to, int to_ld,
                           enum cudaMemcpyKind kind)
{
    if (rows < 0 || cols < 0 || bytes <= 0 || from_ld < 1 || to_ld < 1 ||
        from_ld < rows || to_ld < rows)
        return invalid(
            sim_format("%s: a size or a distance is too small", name));
    size_t width = (size_t)rows * (size_t)bytes, height = (size_t)cols;
    size_t from_pitch = (size_t)from_ld * (size_t)bytes;
    size_t to_pitch = (size_t)to_ld * (size_t)bytes;
    if (from_pitch == width && to_pitch == width) { /* without gaps */
        from_pitch = to_pitch = width *= height;
        height = 1;
    }
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind)
               ? CUBLAS_STATUS_MAPPING_ERROR
               : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *host,
                               int host_ld, void *device, int device_ld)
{
    return copy(__func__, rows, cols, bytes, host, host_ld, device, device_ld,
                cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes,
                               const void *device, int device_ld, void *host,
                               int host_ld)
{
    return copy(__func__, rows, cols, bytes, device, device_ld, host, host_ld,
                cudaMemcpyDeviceToHost);
}

cublasStatus_t cublasSetVector(int n, int bytes, const void *host, int host_inc,
                               void *device, int device_inc)
{
    return copy(__func__, 1, n, bytes, host, host_inc, device, device_inc,
                cudaMemcpyHostToDevice);
}

cublasStatus_t cublasGetVector(int n, int bytes, const void *device,
                               int device_inc, void *host, int host_inc)
{
    return copy(__func__, 1, n, bytes, device, device_inc, host, host_inc,
                cudaMemcpyDeviceToHost);
}
