/**
 * @file operation.c
 * @brief An operation of cuBLAS in its turn: checks what it touches, does it.
 */
#include "blas.h"

/** Who is it: "cublasSgemm reads A". */
static const char *does(const sim_operation *o, const sim_matrix *x, bool write)
{
    return sim_format("%s %s %s", o->name, write ? "writes" : "reads", x->name);
}

/** How many elements, and how far from each other? */
static const char *shape(const sim_matrix *x)
{
    if (!x->vector)
        return sim_format("%lld x %lld, by columns, ld %lld",
                          (long long)x->rows, (long long)x->cols,
                          (long long)x->ld);
    if (x->cols == 1)
        return "1 element";
    return sim_format("%lld elements, inc%s %lld", (long long)x->cols, x->name,
                      (long long)x->ld);
}

/** Is this device memory? Nobody knows how long a variable is, so the ends must
 *  be in one, and in plain mode or without kernels not even whose it is. */
static bool is_device(const char *first, size_t bytes)
{
    const char *last = first + bytes - 1;
    if (in_arena((uintptr_t)first) || !sim_counting())
        return sim_is_device(first, bytes);
    if (sim_is_registered(first))
        return sim_is_registered(last);
    return sim_is_variable((uintptr_t)first) &&
           sim_is_variable((uintptr_t)last);
}

/** Is all of it there? Says what is not. */
static bool is_there(const sim_operation *o, const sim_matrix *x, bool write)
{
    int64_t bytes = (int64_t)sim_element_bytes(x->type);
    int64_t to_last = (x->cols - 1) * x->ld; /* below 0: memory before data */
    char *first = x->data + (to_last < 0 ? to_last * bytes : 0);
    int64_t extent = (llabs(to_last) + x->rows) * bytes;
    if (is_device(first, (size_t)extent))
        return true;
    uintptr_t last = (uintptr_t)first + (uintptr_t)(extent - bytes);
    if (in_arena(last))
        sim_finding("out-of-bounds-global", sim_caller(),
                    "%s: %s\nits last element would be %s", does(o, x, write),
                    shape(x), sim_where_global(last, (unsigned)bytes));
    else
        sim_finding("host-pointer", sim_caller(),
                    "%s\nwhich is %s: cuBLAS works on memory of cudaMalloc()",
                    does(o, x, write),
                    last < 65536 ? "a null pointer" : "host memory");
    return false;
}

/** Tell the detectors of each column, or of each element of a vector. */
static void touch(const sim_operation *o, const sim_matrix *x, bool write)
{
    size_t bytes = (size_t)x->rows * sim_element_bytes(x->type), unset = 0;
    int64_t first = 0;
    uintptr_t gap;
    for (int64_t col = 0; col < x->cols; col++) {
        char *column =
            x->data + col * x->ld * (int64_t)sim_element_bytes(x->type);
        sim_moved(column, bytes, write);
        if (write) {
            sim_mark_initialised(column, bytes);
        } else if (sim_counting() && sim_settings.search) {
            size_t words = sim_count_uninitialised(column, bytes, &gap);
            if (words && !unset)
                first = col;
            unset += words;
        }
    }
    if (unset)
        sim_finding("uninitialised-global", sim_caller(),
                    "%s\nnothing has written %zu of its words, the first of "
                    "them in %s %lld",
                    does(o, x, write), unset, x->vector ? "element" : "column",
                    (long long)first);
}

/** Check and tell of one matrix. @return false: it is not there */
static bool use(const sim_operation *o, const sim_matrix *x, bool write)
{
    if (!x->rows || !x->cols || !(write || sim_is_read(o, x)))
        return true;
    if (!is_there(o, x, write))
        return false;
    touch(o, x, write);
    return true;
}

/** Read alpha or beta, if it is in device memory. @return false: it is not */
static bool read_factor(const sim_operation *o, const char *name, sim_scalar *x)
{
    if (!x->data)
        return true;
    sim_matrix one = {.name = name,
                      .data = (char *)x->data,
                      .type = x->type,
                      .rows = 1,
                      .cols = 1,
                      .vector = true,
                      .reads = READ_ALWAYS};
    if (!use(o, &one, false))
        return false;
    x->value = sim_element(x->type, x->data, 0);
    return true;
}

/** One of a batch. */
static sim_matrix one_of(const sim_matrix *x, int number)
{
    sim_matrix one = *x;
    one.data += number * x->stride * (int64_t)sim_element_bytes(x->type);
    return one;
}

static cudaError_t run(void *data)
{
    const sim_operation *whole = data;
    int64_t elements = whole->C.rows * whole->C.cols + whole->A.cols;
    sim_memory_enter();
    if (sim_streams)
        sim_copy_begins(whole->name, NULL);
    sim_operation one = *whole;
    bool good = read_factor(&one, "alpha", &one.alpha) &&
                read_factor(&one, "beta", &one.beta);
    for (int i = 0; good && i < whole->batches; i++) {
        one.A = one_of(&whole->A, i);
        one.B = one_of(&whole->B, i);
        one.C = one_of(&whole->C, i);
        good = use(&one, &one.A, false) && use(&one, &one.B, false) &&
               use(&one, &one.C, false) && use(&one, &one.C, true);
        if (good)
            one.compute(&one);
    }
    sim_memory_give(NULL, 0);
    sim_memory_leave(true, (uint64_t)(elements * whole->batches) / 1024);
    if (!good)
        sim_set_sticky(cudaErrorIllegalAddress);
    return good ? cudaSuccess : cudaErrorIllegalAddress;
}

cublasStatus_t sim_blas(sim_operation *o)
{
    cudaStream_t stream = o->handle->stream;
    cudaError_t error = o->to_host ? sim_may_wait(stream, false) : cudaSuccess;
    if (!error)
        error = sim_enqueue(stream, cudaGraphNodeTypeEmpty, run, o, sizeof *o);
    if (!error && o->to_host)
        error = sim_may_wait(stream, false);
    return error ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
