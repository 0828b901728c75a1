/**
 * @file sim_rules.h
 * @brief CUDA's qualifiers as clang knows them, to check a source against
 * CUDA's rules: which side may call what, how a kernel is launched.
 *
 * simcc lets clang read each .cu once more, as CUDA and without output, for
 * what C++ takes and nvcc does not. Everything in the simulator's headers then
 * counts as code of both sides.
 */
#ifndef SIM_RULES_H
#define SIM_RULES_H

#define SIM_ANNOTATE(note) annotate(note)
#define SIM_INLINE static inline __attribute__((host, device))
#define SIM_METHOD inline __attribute__((host, device))

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ /* clang 14 does not know it */
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)

/* C's functions, of both sides; those of C++ are the host's, so every header of
 * C++ that is used in this folder stands here. The macro keeps libstdc++ from
 * putting its own header in front of C's. */
#pragma clang force_cuda_host_device begin
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdio.h>
#include <string.h>
#include <time.h>
#pragma clang force_cuda_host_device end
#include <cmath>
#include <cstdlib>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#endif
