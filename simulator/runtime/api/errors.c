/**
 * @file errors.c
 * @brief cudaGetLastError() and the names and texts of errors.
 */
#include "api.h"

static _Thread_local cudaError_t latest; /* of calls that were refused */

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
    if (sim_sticky())
        return look_at(sim_sticky());
    sim_note_error(error);
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
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
