/**
 * @file cuda.h
 * @brief For programs that include it beside the runtime API.
 *
 * The driver API (cuInit, cuLaunchKernel ...) is not supported.
 */
#ifndef CUDA_H
#define CUDA_H

#include "cuda_runtime_api.h"

#endif
