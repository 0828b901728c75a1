/**
 * @file reduce.h
 * @brief cooperative_groups::reduce() of a tile: log2(size) exchanges.
 */
#ifndef COOPERATIVE_GROUPS_REDUCE_H
#define COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define SIM_OPERATOR(name, expression)                                         \
    template <class T>                                                         \
    struct name {                                                              \
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
SIM_INLINE T reduce(const thread_block_tile<Size, Parent> &tile, T value,
                    Operator combine, SIM_PLACE)
{
    for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
        value = combine(value, tile.shfl_xor(value, lanes, sim_file, sim_line));
    return value;
}

} // namespace cooperative_groups

#endif
