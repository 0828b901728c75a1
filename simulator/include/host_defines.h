/**
 * @file host_defines.h
 * @brief CUDA's qualifiers, spelled as attributes of clang and g++.
 *
 * Valid C11 and C++17: the host API's headers include it, too.
 */
#ifndef HOST_DEFINES_H
#define HOST_DEFINES_H

#ifdef __CUDA__ /* clang reads the source as CUDA, only to check it */
#include "sim_rules.h"
#else

/** A note that lower.py finds in the IR. Plain mode (g++) needs none. */
#if defined(__clang__)
#define SIM_ANNOTATE(note) annotate(note)
#else
#define SIM_ANNOTATE(note) noinline
#endif

/**
 * For every function of these headers that a kernel calls. Inlined without
 * debug information, its instructions take the position of the call, so a
 * report shows the reader's line and never one of ours.
 */
#if defined(__clang__)
#define SIM_INLINE static inline __attribute__((always_inline, nodebug))
#define SIM_METHOD inline __attribute__((always_inline, nodebug))
#else
#define SIM_INLINE static inline __attribute__((always_inline, artificial))
#define SIM_METHOD inline __attribute__((always_inline, artificial))
#endif

/* Host and device code are the same machine code here. */
#define __host__
#define __device__
#define __managed__
/* function.py looks for it: other parameters are copies of each thread. */
#if defined(__clang__)
#define __grid_constant__ __attribute__((annotate("sim_grid_constant")))
#else
#define __grid_constant__
#endif
#define __maxnreg__(...)

/** lower.py finds the bound and the shape of clusters, too, so that a launch
 *  obeys them; not g++'s plain mode. */
#if defined(__clang__)
#define __launch_bounds__(threads, ...)                                        \
    __attribute__((annotate("sim_launch_bounds", threads)))
#define __cluster_dims__(...) SIM_CLUSTER(__VA_ARGS__, 1, 1, 1)
#define SIM_CLUSTER(x, y, z, ...)                                              \
    __attribute__((annotate("sim_cluster", x, y, z)))
#else
#define __launch_bounds__(...)
#define __cluster_dims__(...)                                                  \
    _Pragma("GCC error \"simulator: __cluster_dims__ needs clang\"")
#endif

/** Never inlined: a report names the kernel, the launch finds its address.
 *  The alignment marks kernels for sides.py. Where a source is compiled twice,
 *  the host's side must not draw conclusions from the kernel it holds, for
 *  another one runs. */
#if !defined(__clang__)
#define SIM_OPAQUE noipa
#elif defined(SIM_HOST_SIDE)
#define SIM_OPAQUE optnone
#else
#define SIM_OPAQUE
#endif
#define __global__                                                             \
    __attribute__((noinline, aligned(256), SIM_OPAQUE,                         \
                   SIM_ANNOTATE("sim_kernel")))

/**
 * One OS thread runs one block at a time, so thread-local storage is the
 * block's shared memory. 16: kernels read float arrays as float4, and a
 * compiler would align them to 4 only. used: what is only written stays, too.
 */
#ifdef __cplusplus
#define __shared__ __attribute__((aligned(16), used)) thread_local
#else
#define __shared__ __attribute__((aligned(16))) _Thread_local
#endif

/**
 * Variables that lower.py moves into a section of this name. frontend.py notes
 * "sim_device" where __device__ stands before a variable. g++ needs that only
 * for sides.py; a section of its own for each, for constants and variables
 * cannot share one.
 */
#if defined(__clang__)
#define SIM_NOTED(section) __attribute__((annotate(section)))
#elif defined(SIM_HOST_SIDE) || defined(SIM_DEVICE_SIDE)
#define SIM_NOTED(name) SIM_SECTION(name, __COUNTER__)
#define SIM_SECTION(name, number) SIM_SECTION_OF(name, number)
#define SIM_SECTION_OF(name, number) __attribute__((section(name "." #number)))
#else
#define SIM_NOTED(section)
#endif
#define __constant__ SIM_NOTED("sim_constant")

#endif /* __CUDA__ */

#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline

/** A function that is one expression. */
#define SIM_IS(T, name, parameters, ...)                                       \
    SIM_INLINE T name parameters                                               \
    {                                                                          \
        return __VA_ARGS__;                                                    \
    }

/** The same of a member; its name with the parameters. */
#define SIM_HAS(T, name, ...)                                                  \
    SIM_METHOD T name                                                          \
    {                                                                          \
        return __VA_ARGS__;                                                    \
    }

/** Default arguments that hold the place of the call, and how they are handed
 *  on. */
#define SIM_PLACE                                                              \
    const char *sim_file = __builtin_FILE(), int sim_line = __builtin_LINE()
#define SIM_AT sim_file, sim_line

/* __noinline__ is no macro here: libstdc++ writes
 * __attribute__((__noinline__)). frontend.py replaces it in the reader's
 * sources. */

#ifndef __restrict__
#define __restrict__ __restrict
#endif

#endif
