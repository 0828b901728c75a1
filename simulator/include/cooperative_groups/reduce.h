/**
 * @file reduce.h
 * @brief cooperative_groups::reduce(): a tree of exchanges.
 */
#ifndef COOPERATIVE_GROUPS_REDUCE_H
#define COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define SIM_OPERATOR(name, expression)                                         \
    template <class T = void>                                                  \
    struct name {                                                              \
        SIM_METHOD T operator()(T a, T b) const                                \
        {                                                                      \
            return expression;                                                 \
        }                                                                      \
    };                                                                         \
    template <>                                                                \
    struct name<void> {                                                        \
        template <class T>                                                     \
        SIM_METHOD T operator()(T a, T b) const                                \
        {                                                                      \
            return expression;                                                 \
        }                                                                      \
    };
SIM_OPERATOR(plus, a + b)
SIM_OPERATOR(less, b < a ? b : a)
SIM_OPERATOR(greater, a < b ? b : a)
SIM_OPERATOR(bit_and, a &b)
SIM_OPERATOR(bit_or, a | b)
SIM_OPERATOR(bit_xor, a ^ b)
#undef SIM_OPERATOR

/** Combine the values of all lanes of a tile; each lane gets the result. */
template <unsigned Size, class Parent, class T, class Operator>
SIM_INLINE T reduce(const thread_block_tile<Size, Parent, true> &tile, T value,
                    Operator combine, SIM_PLACE)
{
    for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
        value = combine(value, tile.shfl_xor(value, lanes, SIM_AT));
    return value;
}

/** The same for several warps: each warp by itself, then one value of each. */
template <unsigned Size, class Parent, class T, class Operator>
SIM_INLINE T reduce(const thread_block_tile<Size, Parent, false> &tile, T value,
                    Operator combine, SIM_PLACE)
{
    T mine = reduce(thread_block_tile<32>(), value, combine, SIM_AT);
    T result = tile.shfl(mine, 0, SIM_AT);
    for (unsigned first = 32; first < Size; first += 32)
        result = combine(result, tile.shfl(mine, (int)first, SIM_AT));
    return result;
}

/** The same for any number of lanes. */
template <class T, class Operator>
SIM_INLINE T reduce(const coalesced_group &group, T value, Operator combine,
                    SIM_PLACE)
{
    unsigned rank = group.thread_rank(), size = group.size();
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        T other = group.shfl_down(value, delta, SIM_AT);
        if (rank + delta < size)
            value = combine(value, other);
    }
    return group.shfl(value, 0, SIM_AT);
}

} // namespace cooperative_groups

#endif
