/**
 * @file memcpy_async.h
 * @brief cooperative_groups::memcpy_async() and wait().
 */
#ifndef COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda/sim_scope.h"

namespace cooperative_groups
{

/** Copy by all threads of a group, each a part of it: one stage. */
template <class Group, class Size>
SIM_INLINE void memcpy_async(const Group &group, void *to, const void *from,
                             Size bytes)
{
    cuda::sim_copy_part(to, from, bytes, (unsigned)group.thread_rank(),
                        (unsigned)group.size(), NULL);
    sim_async_commit();
}

/** The same in elements: as many as both sides have. */
template <class Group, class T, class To, class From>
SIM_INLINE void memcpy_async(const Group &group, T *to, To to_count,
                             const T *from, From from_count)
{
    size_t count = (size_t)to_count < (size_t)from_count ? (size_t)to_count
                                                         : (size_t)from_count;
    memcpy_async(group, to, from, count * sizeof(T));
}

/** Wait for all stages of the group but the latest @p Left. */
template <unsigned Left, class Group>
SIM_INLINE void wait_prior(const Group &group, SIM_PLACE)
{
    sim_async_wait(Left, 0);
    group.sync(SIM_AT);
}

/** Wait for all copies of the group. */
template <class Group>
SIM_INLINE void wait(const Group &group, SIM_PLACE)
{
    wait_prior<0>(group, SIM_AT);
}

} // namespace cooperative_groups

#endif
