/**
 * @file cuda_pipeline.h
 * @brief Copies to shared memory in groups: cp.async by its C names.
 */
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include "cuda_runtime.h"

/** Copy 4, 8 or 16 bytes, the last @p zeros of them from nowhere. */
SIM_INLINE void __pipeline_memcpy_async(void *to, const void *from,
                                        size_t bytes, size_t zeros = 0)
{
    sim_async_copy(to, from, bytes, zeros, NULL, 0);
}

/** The copies since the last call are a group. */
SIM_INLINE void __pipeline_commit()
{
    sim_async_commit();
}

/** Wait for all groups but the latest @p left. */
SIM_INLINE void __pipeline_wait_prior(size_t left)
{
    sim_async_wait((uint32_t)left, 0);
}

#endif
