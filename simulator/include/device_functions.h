/**
 * @file device_functions.h
 * @brief Barriers, fences, shuffles, votes, loads with cache hints, clocks.
 *
 * Every call passes its place, for the reports of plain mode, and site 0,
 * which lower.py replaces.
 */
#ifndef DEVICE_FUNCTIONS_H
#define DEVICE_FUNCTIONS_H

#include "sim.h"
#include "vector_types.h"

/* ---- barriers and fences ------------------------------------------------ */

SIM_IS(void, __syncthreads, (SIM_PLACE),
       (void)sim_barrier(SIM_BARRIER, 0, SIM_AT, 0))
SIM_IS(int, __syncthreads_and, (int predicate, SIM_PLACE),
       sim_barrier(SIM_BARRIER_AND, predicate, SIM_AT, 0))
SIM_IS(int, __syncthreads_or, (int predicate, SIM_PLACE),
       sim_barrier(SIM_BARRIER_OR, predicate, SIM_AT, 0))
SIM_IS(int, __syncthreads_count, (int predicate, SIM_PLACE),
       sim_barrier(SIM_BARRIER_COUNT, predicate, SIM_AT, 0))
SIM_IS(void, __syncwarp, (unsigned mask = 0xffffffffu, SIM_PLACE),
       (void)sim_warp(SIM_WARP_SYNC, mask, 0, 0, 32, SIM_AT, 0))
SIM_IS(void, __threadfence_block, (), sim_fence(0, 0))
SIM_IS(void, __threadfence, (), sim_fence(1, 0))
SIM_IS(void, __threadfence_system, (), sim_fence(2, 0))

/* ---- shuffles ----------------------------------------------------------- */

/** The bytes of a value of at most 8 bytes, as the runtime carries them. */
template <class T>
SIM_INLINE uint64_t sim_pack(T value)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
SIM_INLINE T sim_unpack(uint64_t bits)
{
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

#define SIM_SHFL(name, op, Second)                                             \
    template <class T>                                                         \
    SIM_INLINE T name(unsigned mask, T value, Second second, int width = 32,   \
                      SIM_PLACE)                                               \
    {                                                                          \
        return sim_unpack<T>(sim_warp(op, mask, sim_pack(value), (int)second,  \
                                      width, SIM_AT, 0));                      \
    }
SIM_SHFL(__shfl_sync, SIM_SHUFFLE, int)
SIM_SHFL(__shfl_up_sync, SIM_SHUFFLE_UP, unsigned)
SIM_SHFL(__shfl_down_sync, SIM_SHUFFLE_DOWN, unsigned)
SIM_SHFL(__shfl_xor_sync, SIM_SHUFFLE_XOR, int)
#undef SIM_SHFL

/* ---- votes, matches, sums over a warp ----------------------------------- */

SIM_IS(unsigned, __ballot_sync, (unsigned mask, int predicate, SIM_PLACE),
       (unsigned)sim_warp(SIM_BALLOT, mask, predicate != 0, 0, 32, SIM_AT, 0))
SIM_IS(int, __any_sync, (unsigned mask, int predicate, SIM_PLACE),
       __ballot_sync(mask, predicate, SIM_AT) != 0)
SIM_IS(int, __all_sync, (unsigned mask, int predicate, SIM_PLACE),
       __ballot_sync(mask, !predicate, SIM_AT) == 0)

/** 1 if all lanes say yes or all say no. */
SIM_INLINE int __uni_sync(unsigned mask, int predicate, SIM_PLACE)
{
    unsigned votes = __ballot_sync(mask, predicate, SIM_AT);
    return votes == 0 || votes == mask;
}

SIM_IS(unsigned, __activemask, (), sim_active_mask(0))

template <class T>
SIM_INLINE unsigned __match_any_sync(unsigned mask, T value, SIM_PLACE)
{
    return (unsigned)sim_warp(SIM_MATCH_ANY, mask, sim_pack(value), 0, 32,
                              SIM_AT, 0);
}

template <class T>
SIM_INLINE unsigned __match_all_sync(unsigned mask, T value, int *all,
                                     SIM_PLACE)
{
    unsigned lanes = (unsigned)sim_warp(SIM_MATCH_ALL, mask, sim_pack(value), 0,
                                        32, SIM_AT, 0);
    *all = lanes != 0;
    return lanes;
}

#define SIM_WARP_REDUCE(name, T, op)                                           \
    SIM_IS(T, __reduce_##name##_sync, (unsigned mask, T value, SIM_PLACE),     \
           (T)sim_warp(op, mask, (unsigned)value, 0, 32, SIM_AT, 0))

SIM_WARP_REDUCE(add, int, SIM_REDUCE_ADD)
SIM_WARP_REDUCE(add, unsigned, SIM_REDUCE_ADD)
SIM_WARP_REDUCE(min, int, SIM_REDUCE_MIN_SIGNED)
SIM_WARP_REDUCE(max, int, SIM_REDUCE_MAX_SIGNED)
SIM_WARP_REDUCE(min, unsigned, SIM_REDUCE_MIN_UNSIGNED)
SIM_WARP_REDUCE(max, unsigned, SIM_REDUCE_MAX_UNSIGNED)
SIM_WARP_REDUCE(and, unsigned, SIM_REDUCE_AND)
SIM_WARP_REDUCE(or, unsigned, SIM_REDUCE_OR)
SIM_WARP_REDUCE(xor, unsigned, SIM_REDUCE_XOR)
#undef SIM_WARP_REDUCE

/* ---- loads and stores with a hint for the caches ------------------------ */

/* There is no cache here: the hint changes nothing, the access is counted. */
#define SIM_LOAD(name)                                                         \
    template <class T>                                                         \
    SIM_IS(T, name, (const T *p), *p)
#define SIM_STORE(name)                                                        \
    template <class T, class U>                                                \
    SIM_INLINE void name(T *p, const U &value)                                 \
    {                                                                          \
        *p = value;                                                            \
    }

/** Of memory that the whole launch only reads. function.py finds its loads by
 * this name, so its debug information stays. */
template <class T>
static inline __attribute__((always_inline)) T __ldg(const T *p)
{
    return *p;
}

SIM_LOAD(__ldca)
SIM_LOAD(__ldcg)
SIM_LOAD(__ldcs)
SIM_LOAD(__ldlu)

/** An integer, or a vector of them, of so many bytes. */
template <size_t bytes>
struct sim_bits;
#define SIM_BITS_OF(bytes, ...)                                                \
    template <>                                                                \
    struct sim_bits<bytes> {                                                   \
        typedef __VA_ARGS__;                                                   \
    };
SIM_BITS_OF(1, uint8_t type)
SIM_BITS_OF(2, uint16_t type)
SIM_BITS_OF(4, uint32_t type)
SIM_BITS_OF(8, uint64_t type)
SIM_BITS_OF(16, uint64_t type __attribute__((vector_size(16))))
#undef SIM_BITS_OF

/** Reads memory each time, as volatile does: it may wait for a flag. */
template <class T>
SIM_INLINE T __ldcv(const T *p)
{
    typedef typename sim_bits<sizeof(T)>::type bits_type;
    bits_type bits = *(const volatile bits_type *)p;
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

SIM_STORE(__stcg)
SIM_STORE(__stcs)
SIM_STORE(__stwb)
SIM_STORE(__stwt)
#undef SIM_LOAD
#undef SIM_STORE

/* ---- address spaces ----------------------------------------------------- */

SIM_IS(size_t, __cvta_generic_to_shared, (const void *p), sim_shared_address(p))
SIM_IS(void *, __cvta_shared_to_generic, (size_t address),
       sim_shared_at(address, 0))

/** Global addresses are plain addresses. */
SIM_IS(size_t, __cvta_generic_to_global, (const void *p), (size_t)p)

/* ---- time, stopping ----------------------------------------------------- */

/** Only grows; says nothing about a GPU's speed. lower.py maps clock() here. */
SIM_IS(long long, clock64, (), (long long)sim_clock())

/** A hint on a GPU; here a thread that sleeps lets others run, so nothing. */
SIM_IS(void, __nanosleep, (unsigned), sim_pause())
SIM_IS(void, __trap, (SIM_PLACE), sim_trap(SIM_AT))

SIM_INLINE void __brkpt()
{
}

#endif
