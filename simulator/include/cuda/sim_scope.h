/**
 * @file sim_scope.h
 * @brief What the headers of this folder share: scopes, sizes, copies.
 */
#ifndef SIM_SCOPE_H
#define SIM_SCOPE_H

#include <stddef.h>

#include "../cuda_runtime.h"

namespace cuda
{

/** Who takes part. */
enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 3
};

/** A size, and the alignment that both addresses have. */
template <size_t Alignment>
struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value; /**< bytes */
    SIM_METHOD explicit aligned_size_t(size_t bytes) : value(bytes)
    {
    }
    SIM_METHOD operator size_t() const
    {
        return value;
    }
};

/** Largest power of two up to 16 that divides both addresses and the size. */
SIM_INLINE size_t sim_piece(const void *to, const void *from, size_t bytes)
{
    size_t bits = (size_t)to | (size_t)from | bytes | 16;
    return bits & -bits;
}

/** The part of one thread of @p threads: every so-manieth piece. */
SIM_INLINE void sim_copy_part(void *to, const void *from, size_t bytes,
                              unsigned rank, unsigned threads,
                              sim_mbarrier *barrier)
{
    size_t piece = sim_piece(to, from, bytes);
    piece = piece < 4 ? bytes : piece; /* cp.async has 4, 8 and 16 bytes */
    for (size_t at = rank * piece; at < bytes; at += threads * piece)
        sim_async_copy((char *)to + at, (const char *)from + at, piece, 0,
                       barrier, 0);
}

/** Copy by one thread: complete when the barrier's phase ends, or into the
 *  stage of a pipeline that is being filled. */
template <class Size, class Object>
SIM_INLINE void memcpy_async(void *to, const void *from, Size bytes,
                             Object &object)
{
    sim_copy_part(to, from, bytes, 0, 1, object.sim_state());
}

/** The same by all threads of a group, each a part of it. */
template <class Group, class Size, class Object>
SIM_INLINE void memcpy_async(const Group &group, void *to, const void *from,
                             Size bytes, Object &object)
{
    sim_copy_part(to, from, bytes, group.thread_rank(), group.size(),
                  object.sim_state());
}

} // namespace cuda

#endif
