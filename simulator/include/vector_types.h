/**
 * @file vector_types.h
 * @brief float4, int2 and their relatives. Valid C11 and C++17.
 *
 * A GPU moves a float4 with one 16-byte instruction. A compiler for a CPU
 * would copy a plain struct of four floats as four loads, and the counters
 * would show four requests. So the 2, 4, 8 and 16-byte types of C++ hold a
 * union of their members and one vector of the compiler, and are copied
 * through the latter. Types of 3 members are copied by member, as on a GPU,
 * and the 32-byte ones in halves of 16 bytes.
 */
#ifndef VECTOR_TYPES_H
#define VECTOR_TYPES_H

#include "host_defines.h"

#ifdef __cplusplus

#define SIM_VECTOR_1(T, name)                                                  \
    struct name {                                                              \
        T x;                                                                   \
    };

#define SIM_VECTOR_3(T, name)                                                  \
    struct name {                                                              \
        T x, y, z;                                                             \
    };

/* Copied in one access: see the head of the file. */
#define SIM_COPY_AS_ONE(name)                                                  \
    SIM_METHOD constexpr name(const name &other) : whole(other.whole)          \
    {                                                                          \
    }                                                                          \
    SIM_METHOD constexpr name &operator=(const name &other)                    \
    {                                                                          \
        whole = other.whole;                                                   \
        return *this;                                                          \
    }

#define SIM_VECTOR_2(T, name)                                                  \
    struct alignas(2 * sizeof(T)) name {                                       \
        typedef T pack __attribute__((vector_size(2 * sizeof(T))));            \
        union {                                                                \
            struct {                                                           \
                T x, y;                                                        \
            };                                                                 \
            pack whole;                                                        \
        };                                                                     \
        name() = default;                                                      \
        SIM_METHOD constexpr name(T a, T b = 0) : x(a), y(b)                   \
        {                                                                      \
        }                                                                      \
        SIM_COPY_AS_ONE(name)                                                  \
    };

#define SIM_VECTOR_4(T, name)                                                  \
    struct alignas(4 * sizeof(T)) name {                                       \
        typedef T pack __attribute__((vector_size(4 * sizeof(T))));            \
        union {                                                                \
            struct {                                                           \
                T x, y, z, w;                                                  \
            };                                                                 \
            pack whole;                                                        \
        };                                                                     \
        name() = default;                                                      \
        SIM_METHOD constexpr name(T a, T b = 0, T c = 0, T d = 0)              \
            : x(a), y(b), z(c), w(d)                                           \
        {                                                                      \
        }                                                                      \
        SIM_COPY_AS_ONE(name)                                                  \
    };

/* 4 members of 8 bytes: two accesses of 16 bytes. */
#define SIM_VECTOR_4_WIDE(T, name)                                             \
    struct alignas(16) name {                                                  \
        typedef T pack __attribute__((vector_size(16)));                       \
        union {                                                                \
            struct {                                                           \
                T x, y, z, w;                                                  \
            };                                                                 \
            pack half[2];                                                      \
        };                                                                     \
        name() = default;                                                      \
        SIM_METHOD constexpr name(T a, T b = 0, T c = 0, T d = 0)              \
            : x(a), y(b), z(c), w(d)                                           \
        {                                                                      \
        }                                                                      \
        SIM_METHOD name(const name &other)                                     \
        {                                                                      \
            *this = other;                                                     \
        }                                                                      \
        SIM_METHOD name &operator=(const name &other)                          \
        {                                                                      \
            half[0] = other.half[0];                                           \
            half[1] = other.half[1];                                           \
            return *this;                                                      \
        }                                                                      \
    };

#else /* C: host code, nothing is counted */

#define SIM_VECTOR_1(T, name)                                                  \
    typedef struct {                                                           \
        T x;                                                                   \
    } name;
#define SIM_VECTOR_2(T, name)                                                  \
    typedef struct {                                                           \
        _Alignas(2 * sizeof(T)) T x;                                           \
        T y;                                                                   \
    } name;
#define SIM_VECTOR_3(T, name)                                                  \
    typedef struct {                                                           \
        T x, y, z;                                                             \
    } name;
#define SIM_VECTOR_4(T, name)                                                  \
    typedef struct {                                                           \
        _Alignas(4 * sizeof(T)) T x;                                           \
        T y, z, w;                                                             \
    } name;
#define SIM_VECTOR_4_WIDE(T, name)                                             \
    typedef struct {                                                           \
        _Alignas(16) T x;                                                      \
        T y, z, w;                                                             \
    } name;

#endif

#define SIM_VECTORS(T, base)                                                   \
    SIM_VECTOR_1(T, base##1)                                                   \
    SIM_VECTOR_2(T, base##2)                                                   \
    SIM_VECTOR_3(T, base##3)                                                   \
    SIM_VECTOR_4(T, base##4)

#define SIM_VECTORS_WIDE(T, base)                                              \
    SIM_VECTOR_1(T, base##1)                                                   \
    SIM_VECTOR_2(T, base##2)                                                   \
    SIM_VECTOR_3(T, base##3)                                                   \
    SIM_VECTOR_4_WIDE(T, base##4)

SIM_VECTORS(signed char, char)
SIM_VECTORS(unsigned char, uchar)
SIM_VECTORS(short, short)
SIM_VECTORS(unsigned short, ushort)
SIM_VECTORS(int, int)
SIM_VECTORS(unsigned int, uint)
SIM_VECTORS(float, float)
SIM_VECTORS_WIDE(long, long)
SIM_VECTORS_WIDE(unsigned long, ulong)
SIM_VECTORS_WIDE(long long, longlong)
SIM_VECTORS_WIDE(unsigned long long, ulonglong)
SIM_VECTORS_WIDE(double, double)

#endif
