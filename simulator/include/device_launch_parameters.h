/**
 * @file device_launch_parameters.h
 * @brief threadIdx, blockIdx, blockDim, gridDim, warpSize.
 *
 * In clang they are objects whose members are properties: `threadIdx.x` calls
 * sim_thread_x(), a function that the compiler knows to be constant, so it is
 * called once per kernel and is never a memory access. Being variables, they
 * may be hidden by a reader's own `dim3 gridDim(...)`.
 */
#ifndef DEVICE_LAUNCH_PARAMETERS_H
#define DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime_api.h"
#include "sim.h"
#include "vector_types.h"

static constexpr int warpSize = 32;

#ifdef __CUDA__ /* see sim_rules.h */

extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

#elif defined(__clang__)

#define SIM_COORDINATE(name, function)                                         \
    inline const struct sim_##name {                                           \
        __declspec(property(get = get_x)) unsigned x;                          \
        __declspec(property(get = get_y)) unsigned y;                          \
        __declspec(property(get = get_z)) unsigned z;                          \
        SIM_METHOD unsigned get_x() const                                      \
        {                                                                      \
            return function##_x();                                             \
        }                                                                      \
        SIM_METHOD unsigned get_y() const                                      \
        {                                                                      \
            return function##_y();                                             \
        }                                                                      \
        SIM_METHOD unsigned get_z() const                                      \
        {                                                                      \
            return function##_z();                                             \
        }                                                                      \
        SIM_METHOD operator uint3() const                                      \
        {                                                                      \
            return uint3{get_x(), get_y(), get_z()};                           \
        }                                                                      \
        SIM_METHOD operator dim3() const                                       \
        {                                                                      \
            return dim3(get_x(), get_y(), get_z());                            \
        }                                                                      \
    } name{};

SIM_COORDINATE(threadIdx, sim_thread)
SIM_COORDINATE(blockIdx, sim_block)
SIM_COORDINATE(blockDim, sim_block_dim)
SIM_COORDINATE(gridDim, sim_grid_dim)
#undef SIM_COORDINATE

/* Nothing to do before a thread enters a kernel. */
#define SIM_ENTER_KERNEL()

#else

/*
 * g++ has no properties. threadIdx and blockIdx become macros; blockDim and
 * gridDim, whose names readers like to reuse, variables that each thread sets
 * to the same value before it enters the kernel.
 */
#define threadIdx (uint3{sim_thread_x(), sim_thread_y(), sim_thread_z()})
#define blockIdx (uint3{sim_block_x(), sim_block_y(), sim_block_z()})
inline thread_local dim3 blockDim;
inline thread_local dim3 gridDim;
#define SIM_ENTER_KERNEL()                                                     \
    (blockDim = dim3(sim_block_dim_x(), sim_block_dim_y(), sim_block_dim_z()), \
     gridDim = dim3(sim_grid_dim_x(), sim_grid_dim_y(), sim_grid_dim_z()))

#endif

#endif
