/**
 * @file cp_async.cuh
 * @brief A copy from global to shared memory that goes through no register.
 *
 * __pipeline_commit() makes a group of what a thread has begun to copy, and
 * __pipeline_wait_prior(n) waits until at most the last n groups are under way.
 */
#ifndef CP_ASYNC_CUH
#define CP_ASYNC_CUH

#include <cuda_pipeline_primitives.h>

/**
 * Begin to copy 4 or 16 bytes, or zeros unless `there`. It is one instruction,
 * which is told how many bytes to read, and fills the rest with zeros. PTX ISA:
 * cp.async.
 */
template <int BYTES>
static __device__ void copy_async(float *to, const float *from, bool there)
{
#if defined __CUDASIM_PTX__ || (__CUDA_ARCH__ >= 800 && !SIMULATED)
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    int bytes = there ? BYTES : 0;
    if (BYTES == 16) // past the L1
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared),
            "l"(from), "r"(bytes)
            : "memory");
    else
        asm volatile(
            "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared),
            "l"(from), "r"(bytes)
            : "memory");
#else // for older GPUs, and where the simulator knows no PTX
    __pipeline_memcpy_async(to, from, BYTES, there ? 0 : BYTES);
#endif
}

#endif
