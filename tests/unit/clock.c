/**
 * @file clock.c
 * @brief In the place of cudaEventElapsedTime(), so that no test depends on
 *        how fast a machine is. tests/unit/build.mk has common/ call it.
 */
#include "unit.h"

#include <stdlib.h>

#include <cuda_runtime_api.h>

float sample_ms = 0.1f;

/** What sample_ms says, or SAMPLE_MS in the environment of a program. */
cudaError_t fake_elapsed_time(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    (void)start, (void)stop;
    const char *text = getenv("SAMPLE_MS");
    *ms = text ? strtof(text, NULL) : sample_ms;
    return cudaSuccess;
}
