/** @file scale.cuh @brief A header with a kernel. */
#pragma once

__global__ void scale(float *x, float factor)
{
    x[threadIdx.x] *= factor;
}
