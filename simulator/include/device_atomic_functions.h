/**
 * @file device_atomic_functions.h
 * @brief atomicAdd() and its relatives: one sim_atomic() each.
 *
 * _block and _system say who must see the operation as one. Here always all do,
 * but where blocks meet in what is _block, that is found; and _system says that
 * the host does not wait for the kernel's end.
 */
#ifndef DEVICE_ATOMIC_FUNCTIONS_H
#define DEVICE_ATOMIC_FUNCTIONS_H

#include "device_functions.h"
#include "sim.h"

/**
 * Call the runtime with the bits of @p value.
 *
 * Adding a constant 1 is cheaper in shared memory (one instruction counts the
 * lanes of each address), so a value that is 1 at compile time is marked. The
 * runtime's `used` is 1 until lower.py has seen whether the result is.
 */
template <class T>
SIM_INLINE T sim_atomic_call(T *p, int op, T value, T compare = T())
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                  "atomics of 2, 4 and 8 bytes only");
    return sim_unpack<T>(
        sim_atomic(p, sizeof(T), op, sim_pack(value), sim_pack(compare), 1, 0));
}

/* One function under its three names. */
#define SIM_ATOMIC(name, T, op)                                                \
    SIM_ATOMIC_AS(name, T, op)                                                 \
    SIM_ATOMIC_AS(name##_block, T, (op) | SIM_ATOMIC_BLOCK)                    \
    SIM_ATOMIC_AS(name##_system, T, (op) | SIM_ATOMIC_SYSTEM)

#define SIM_ATOMIC_AS(name, T, op)                                             \
    SIM_INLINE T name(T *p, T value)                                           \
    {                                                                          \
        return sim_atomic_call<T>(p, op, value);                               \
    }

/* The value 1 of an integer sum, where the compiler knows it. */
#define SIM_IF_ONE(value)                                                      \
    (__builtin_constant_p(value) && (value) == 1 ? SIM_ATOMIC_ONE : 0)

SIM_ATOMIC(atomicAdd, int, SIM_ATOMIC_ADD | SIM_IF_ONE(value))
SIM_ATOMIC(atomicAdd, unsigned, SIM_ATOMIC_ADD | SIM_IF_ONE(value))
SIM_ATOMIC(atomicAdd, unsigned long long, SIM_ATOMIC_ADD | SIM_IF_ONE(value))
SIM_ATOMIC(atomicAdd, float, SIM_ATOMIC_ADD_FLOAT)
SIM_ATOMIC(atomicAdd, double, SIM_ATOMIC_ADD_FLOAT)

/* A difference is a sum with the opposite value, modulo 2^32. */
#define SIM_ATOMIC_SUB(name, T, op)                                            \
    SIM_INLINE T name(T *p, T value)                                           \
    {                                                                          \
        return sim_atomic_call<T>(p, op, (T)(0u - (unsigned)value));           \
    }
SIM_ATOMIC_SUB(atomicSub, int, SIM_ATOMIC_ADD)
SIM_ATOMIC_SUB(atomicSub, unsigned, SIM_ATOMIC_ADD)
SIM_ATOMIC_SUB(atomicSub_block, int, SIM_ATOMIC_ADD | SIM_ATOMIC_BLOCK)
SIM_ATOMIC_SUB(atomicSub_block, unsigned, SIM_ATOMIC_ADD | SIM_ATOMIC_BLOCK)
SIM_ATOMIC_SUB(atomicSub_system, int, SIM_ATOMIC_ADD | SIM_ATOMIC_SYSTEM)
SIM_ATOMIC_SUB(atomicSub_system, unsigned, SIM_ATOMIC_ADD | SIM_ATOMIC_SYSTEM)
#undef SIM_ATOMIC_SUB

SIM_ATOMIC(atomicMin, int, SIM_ATOMIC_MIN_SIGNED)
SIM_ATOMIC(atomicMin, unsigned, SIM_ATOMIC_MIN_UNSIGNED)
SIM_ATOMIC(atomicMin, long long, SIM_ATOMIC_MIN_SIGNED)
SIM_ATOMIC(atomicMin, unsigned long long, SIM_ATOMIC_MIN_UNSIGNED)
SIM_ATOMIC(atomicMax, int, SIM_ATOMIC_MAX_SIGNED)
SIM_ATOMIC(atomicMax, unsigned, SIM_ATOMIC_MAX_UNSIGNED)
SIM_ATOMIC(atomicMax, long long, SIM_ATOMIC_MAX_SIGNED)
SIM_ATOMIC(atomicMax, unsigned long long, SIM_ATOMIC_MAX_UNSIGNED)

SIM_ATOMIC(atomicAnd, int, SIM_ATOMIC_AND)
SIM_ATOMIC(atomicAnd, unsigned, SIM_ATOMIC_AND)
SIM_ATOMIC(atomicAnd, unsigned long long, SIM_ATOMIC_AND)
SIM_ATOMIC(atomicOr, int, SIM_ATOMIC_OR)
SIM_ATOMIC(atomicOr, unsigned, SIM_ATOMIC_OR)
SIM_ATOMIC(atomicOr, unsigned long long, SIM_ATOMIC_OR)
SIM_ATOMIC(atomicXor, int, SIM_ATOMIC_XOR)
SIM_ATOMIC(atomicXor, unsigned, SIM_ATOMIC_XOR)
SIM_ATOMIC(atomicXor, unsigned long long, SIM_ATOMIC_XOR)

SIM_ATOMIC(atomicExch, int, SIM_ATOMIC_EXCHANGE)
SIM_ATOMIC(atomicExch, unsigned, SIM_ATOMIC_EXCHANGE)
SIM_ATOMIC(atomicExch, unsigned long long, SIM_ATOMIC_EXCHANGE)
SIM_ATOMIC(atomicExch, float, SIM_ATOMIC_EXCHANGE)

SIM_ATOMIC(atomicInc, unsigned, SIM_ATOMIC_INCREMENT)
SIM_ATOMIC(atomicDec, unsigned, SIM_ATOMIC_DECREMENT)

#undef SIM_ATOMIC_AS
#define SIM_ATOMIC_AS(name, T, op)                                             \
    SIM_INLINE T name(T *p, T compare, T value)                                \
    {                                                                          \
        return sim_atomic_call<T>(p, op, value, compare);                      \
    }
SIM_ATOMIC(atomicCAS, unsigned short, SIM_ATOMIC_COMPARE_SWAP)
SIM_ATOMIC(atomicCAS, int, SIM_ATOMIC_COMPARE_SWAP)
SIM_ATOMIC(atomicCAS, unsigned, SIM_ATOMIC_COMPARE_SWAP)
SIM_ATOMIC(atomicCAS, unsigned long long, SIM_ATOMIC_COMPARE_SWAP)

#undef SIM_ATOMIC_AS
#undef SIM_ATOMIC

#endif
