/**
 * @file assert.h
 * @brief assert() that knows the GPU thread; in host code it is as ever.
 *
 * Without a guard, as the standard wants it: NDEBUG may change between two
 * inclusions.
 */
#include "sim.h"

#undef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#define assert(expression)                                                     \
    ((expression) ? (void)0                                                    \
                  : sim_assert_failed(#expression, __FILE__, __LINE__))
#endif

#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
