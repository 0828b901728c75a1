/**
 * @file errors.c
 * @brief cudaGetLastError(), errors that nobody reads, names and texts.
 */
#include "api.h"

static _Thread_local cudaError_t latest; /* of calls that were refused */

/* Of the call that is made, as far as somebody has said it: */
static _Thread_local const char *unused; /* its name: nobody uses its result */
static _Thread_local const char *reason; /* why it fails, for people */
static _Thread_local bool told;          /* a finding has said it */

/** Errors of calls whose result is not used. */
typedef struct unread {
    struct unread *next;
    const cudaError_t *thread; /**< whose it is: the address of its latest */
    cudaError_t error;
    const char *call;
    char *why;
    uint32_t launch; /**< after which */
    void *caller[MOST_FRAMES];
} unread;
static unread *unreads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/** The program ends, or is about to: nobody reads them any more. */
static void tell_unread(void)
{
    for (unread *u = unreads; u; u = u->next) {
        sim_place place = sim_caller_noted(u->caller);
        place.since = u->launch + 1;
        sim_finding("unread-error", place,
                    "%s returned \"%s\"%s%s\nnobody has looked, neither at "
                    "what it returned nor by cudaGetLastError()",
                    u->call, cudaGetErrorString(u->error), u->why ? "\n" : "",
                    u->why ? u->why : "");
    }
    unreads = NULL;
}

void sim_unread(const char *call)
{
    unused = call;
}

bool sim_is_unread(void)
{
    return unused;
}

/** Keep the error of a call whose result is not used. */
static void keep_unread(cudaError_t error)
{
    unread *u = sim_new(sizeof *u), **end = &unreads;
    *u = (unread){.thread = &latest,
                  .error = error,
                  .call = unused,
                  .why = reason ? strdup(reason) : NULL,
                  .launch = sim_now.serial};
    sim_caller_note(u->caller);
    pthread_mutex_lock(&lock);
    while (*end)
        end = &(*end)->next;
    *end = u;
    sim_findings_last = tell_unread;
    pthread_mutex_unlock(&lock);
}

/** The calling thread has asked for its latest error. */
static void forget_unread(void)
{
    pthread_mutex_lock(&lock);
    for (unread **u = &unreads; *u;)
        if ((*u)->thread == &latest)
            *u = (*u)->next; /* its memory is kept */
        else
            u = &(*u)->next;
    pthread_mutex_unlock(&lock);
}

/** Whoever gets an error, or asks what it is called, has seen it. */
static cudaError_t look_at(cudaError_t error)
{
    if (error == cudaErrorAssert)
        sim_findings_expect_assertions();
    return error;
}

void sim_note_error(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        latest = error;
}

cudaError_t sim_return(cudaError_t error)
{
    bool failed = error && (error != cudaErrorNotReady || reason);
    if (failed && unused && !told && !sim_sticky())
        keep_unread(error);
    unused = NULL;
    if (sim_sticky())
        return look_at(sim_sticky());
    sim_note_error(error);
    return error;
}

cudaError_t sim_refuse(cudaError_t error, const char *why)
{
    reason = why;
    told = !why;
    error = sim_return(error);
    reason = NULL;
    told = false;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    forget_unread();
    return look_at(sim_sticky() ? sim_sticky() : latest);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    latest = cudaSuccess;
    return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    look_at(error);
#define NAME(name, number, ...)                                                \
    case number:                                                               \
        return #name;
    switch ((int)error) {
        SIM_ERRORS_WITH_TEXT(NAME)
        SIM_ERRORS_OF_A_GPU(NAME)
    }
#undef NAME
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    look_at(error);
#define TEXT(name, number, text)                                               \
    case number:                                                               \
        return text;
    switch ((int)error) {
        SIM_ERRORS_WITH_TEXT(TEXT)
    }
#undef TEXT
    return cudaGetErrorName(error);
}
