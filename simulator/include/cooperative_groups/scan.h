/**
 * @file scan.h
 * @brief cooperative_groups::inclusive_scan() and exclusive_scan().
 */
#ifndef COOPERATIVE_GROUPS_SCAN_H
#define COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{

/** The values of the ranks up to the caller's, combined: log2(32) steps. */
template <class Group, class T, class Operator = plus<T>>
SIM_INLINE T inclusive_scan(const Group &group, T value,
                            Operator combine = Operator(), SIM_PLACE)
{
    unsigned rank = group.thread_rank();
    for (unsigned delta = 1; delta < group.size(); delta *= 2) {
        T before = group.shfl_up(value, delta, SIM_AT);
        if (rank >= delta)
            value = combine(before, value);
    }
    return value;
}

/** The same without the caller's own value; rank 0 gets zero. */
template <class Group, class T, class Operator = plus<T>>
SIM_INLINE T exclusive_scan(const Group &group, T value,
                            Operator combine = Operator(), SIM_PLACE)
{
    value = inclusive_scan(group, value, combine, SIM_AT);
    T before = group.shfl_up(value, 1, SIM_AT);
    return group.thread_rank() ? before : T();
}

} // namespace cooperative_groups

#endif
