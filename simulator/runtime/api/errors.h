/**
 * @file errors.h
 * @brief The last error, and errors that stay.
 */
#ifndef ERRORS_H
#define ERRORS_H

#include "../../include/cuda_runtime_api.h"

/**
 * Note what a call returns to the program. @return @p error, or the sticky
 * error if there is one: after an illegal access every call fails until
 * cudaDeviceReset().
 */
cudaError_t sim_return(cudaError_t error);

/** The same for <<<...>>>, which gives nothing back. */
void sim_note_error(cudaError_t error);

#endif
