/**
 * @file cases.h
 * @brief Several small programs in one file: CASE(name) { ... } for each, or
 * LAUNCH(name, kernel<<<1, 32>>>()); and checks, on the host and in kernels.
 *
 * `program NAME [NUMBER]` runs one of them; FILE.cu:NAME names it among several
 * files. It prints nothing when all is well and ends with 0; a check that fails
 * prints its place and what was wrong, and the status is 1.
 */
#ifndef CASES_H
#define CASES_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------- */

/** Fail unless @p condition holds. */
#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)

/** Fail unless both are equal; prints them as numbers. */
#define CHECK_EQUAL(actual, expected)                                          \
    check_equal((double)(actual), (double)(expected), #actual, __FILE__,       \
                __LINE__)

/** Fail unless a CUDA call returns cudaSuccess. */
#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

static __managed__ int check_failures;

static inline __host__ __device__ void check_true(bool right, const char *text,
                                                  const char *file, int line)
{
    if (right)
        return;
    printf("%s:%d: not true: %s\n", file, line, text);
    check_failures = 1;
}

static inline __host__ __device__ void check_equal(double actual,
                                                   double expected,
                                                   const char *text,
                                                   const char *file, int line)
{
    if (actual == expected)
        return;
    printf("%s:%d: %s is %.17g, expected %.17g\n", file, line, text, actual,
           expected);
    check_failures = 1;
}

static inline void check_cuda(cudaError_t error, const char *text,
                              const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    printf("%s:%d: %s: %s\n", file, line, text, cudaGetErrorString(error));
    check_failures = 1;
}

/* ---- memory and streams -------------------------------------------------- */

/** @p n elements of device memory that nobody has written. */
template <class T>
T *room(int n)
{
    T *p = NULL;
    CHECK_CUDA(cudaMalloc((void **)&p, n * sizeof(T)));
    return p;
}

/** @p n zeros of device memory. */
template <class T>
T *zeros(int n)
{
    T *p = room<T>(n);
    CHECK_CUDA(cudaMemset(p, 0, n * sizeof(T)));
    return p;
}

/** @p n zeros in memory of both host and device; wait before reading it. */
template <class T>
T *shared_zeros(int n)
{
    T *p = NULL;
    check_cuda(cudaMallocManaged((void **)&p, n * sizeof(T)),
               "cudaMallocManaged", __FILE__, __LINE__);
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

/** @p n zeros of pinned memory of the host. */
template <class T>
T *pinned(int n)
{
    T *p = NULL;
    CHECK_CUDA(cudaMallocHost((void **)&p, n * sizeof(T)));
    memset((void *)p, 0, n * sizeof(T));
    return p;
}

static inline cudaStream_t new_stream(unsigned flags = cudaStreamDefault)
{
    cudaStream_t stream = NULL;
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

static inline cudaEvent_t new_event(unsigned flags = cudaEventDefault)
{
    cudaEvent_t event = NULL;
    CHECK_CUDA(cudaEventCreateWithFlags(&event, flags));
    return event;
}

/** A copy on the host of what @p device points to. */
template <class T>
T fetch(const T *device)
{
    T value;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

/* ---- cases --------------------------------------------------------------- */

/** 1: the bugs of findings/ are corrected. */
#ifndef RIGHT
#define RIGHT 0
#endif

/** One program. */
struct check_case {
    const char *place; /**< FILE.cu:NAME */
    void (*run)();
    check_case *next;
};

static check_case *check_cases;
static int check_argument; /**< the number behind its name */

static inline check_case *check_add(check_case *added)
{
    added->next = check_cases;
    return check_cases = added;
}

#define CASE(name)                                                             \
    static void name##_case();                                                 \
    static check_case name##_entry = {__FILE__ ":" #name, name##_case, NULL};  \
    static check_case *name##_added = check_add(&name##_entry);                \
    static void name##_case()

/** A program that is one launch. */
#define LAUNCH(name, ...)                                                      \
    CASE(name)                                                                 \
    {                                                                          \
        __VA_ARGS__;                                                           \
    }

int main(int argc, char **argv)
{
    for (check_case *c = check_cases; c && argc > 1; c = c->next) {
        const char *place = c->place, *wanted = argv[1];
        size_t length = strlen(place), end = strlen(wanted);
        if (end < length && !strcmp(place + length - end, wanted) &&
            strchr("/:", place[length - end - 1])) {
            check_argument = argc > 2 ? atoi(argv[2]) : 0;
            c->run();
            cudaDeviceSynchronize();
            return check_failures != 0;
        }
    }
    fprintf(stderr, "no such case; there are:\n");
    for (check_case *c = check_cases; c; c = c->next)
        fprintf(stderr, "%s\n", c->place);
    return 99;
}

#endif
