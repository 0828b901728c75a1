/**
 * @file cuda_pipeline_primitives.h
 * @brief The same as cuda_pipeline.h.
 */
#ifndef CUDA_PIPELINE_PRIMITIVES_H
#define CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_pipeline.h"

#endif
