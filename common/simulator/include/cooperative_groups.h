/**
 * @file cooperative_groups.h
 * @brief Groups of threads as objects: block, tile of a warp, active lanes.
 *
 * Thin covers of barriers and shuffles. A barrier of the whole grid or of a
 * cluster is refused: it needs all blocks to be alive at once.
 */
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups
{

/** Number of the calling thread in its block, x fastest. */
SIM_INLINE unsigned sim_rank_in_block()
{
    return (sim_thread_z() * sim_block_dim_y() + sim_thread_y()) *
               sim_block_dim_x() +
           sim_thread_x();
}

/** Threads of a block. */
SIM_INLINE unsigned sim_block_threads()
{
    return sim_block_dim_x() * sim_block_dim_y() * sim_block_dim_z();
}

/** All threads of the block. */
class thread_block
{
  public:
    SIM_METHOD static void sync(SIM_PLACE)
    {
        __syncthreads(sim_file, sim_line);
    }
    SIM_METHOD static unsigned thread_rank()
    {
        return sim_rank_in_block();
    }
    SIM_METHOD static unsigned size()
    {
        return sim_block_threads();
    }
    SIM_METHOD static unsigned num_threads()
    {
        return sim_block_threads();
    }
    SIM_METHOD static dim3 group_index()
    {
        return dim3(sim_block_x(), sim_block_y(), sim_block_z());
    }
    SIM_METHOD static dim3 thread_index()
    {
        return dim3(sim_thread_x(), sim_thread_y(), sim_thread_z());
    }
    SIM_METHOD static dim3 group_dim()
    {
        return dim3(sim_block_dim_x(), sim_block_dim_y(), sim_block_dim_z());
    }
    SIM_METHOD static dim3 dim_threads()
    {
        return group_dim();
    }
};

SIM_INLINE thread_block this_thread_block()
{
    return {};
}

/** All threads of the grid, for their numbers only. */
class grid_group
{
  public:
    SIM_METHOD static unsigned long long size()
    {
        return (unsigned long long)sim_grid_dim_x() * sim_grid_dim_y() *
               sim_grid_dim_z() * sim_block_threads();
    }
    SIM_METHOD static unsigned long long thread_rank()
    {
        unsigned long long block =
            ((unsigned long long)sim_block_z() * sim_grid_dim_y() +
             sim_block_y()) *
                sim_grid_dim_x() +
            sim_block_x();
        return block * sim_block_threads() + sim_rank_in_block();
    }
    SIM_METHOD static unsigned long long num_threads()
    {
        return size();
    }
    template <class T = void>
    SIM_REFUSED("a barrier of the whole grid is not supported")
    static void sync();
};

SIM_INLINE grid_group this_grid()
{
    return {};
}

/**
 * Some lanes of one warp; ranks count them from the lowest on.
 *
 * Also what coalesced_threads() gives: the lanes that are here together.
 */
class coalesced_group
{
    unsigned mask_; /* the lanes */

    /** Lane of a rank: the rank-th bit of the mask. */
    SIM_METHOD int lane(unsigned rank) const
    {
        unsigned rest = mask_;
        for (unsigned i = 0; i < rank && rest; i++)
            rest &= rest - 1;
        return __ffs((int)rest) - 1;
    }
    /** Bits of lanes to bits of ranks. */
    SIM_METHOD unsigned ranks(unsigned lanes) const
    {
        unsigned result = 0;
        for (unsigned rank = 0; rank < size(); rank++)
            result |= (lanes >> lane(rank) & 1) << rank;
        return result;
    }

  public:
    SIM_METHOD explicit coalesced_group(unsigned mask) : mask_(mask)
    {
    }
    SIM_METHOD unsigned size() const
    {
        return (unsigned)__popc(mask_);
    }
    SIM_METHOD unsigned num_threads() const
    {
        return size();
    }
    SIM_METHOD unsigned thread_rank() const
    {
        return (unsigned)__popc(mask_ &
                                ((1u << (sim_rank_in_block() & 31)) - 1));
    }
    SIM_METHOD void sync(SIM_PLACE) const
    {
        __syncwarp(mask_, sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD T shfl(T value, unsigned rank, SIM_PLACE) const
    {
        return __shfl_sync(mask_, value, lane(rank), 32, sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD T shfl_down(T value, unsigned delta, SIM_PLACE) const
    {
        unsigned rank = thread_rank() + delta;
        return shfl(value, rank < size() ? rank : thread_rank(), sim_file,
                    sim_line);
    }
    template <class T>
    SIM_METHOD T shfl_up(T value, unsigned delta, SIM_PLACE) const
    {
        unsigned rank = thread_rank();
        return shfl(value, rank >= delta ? rank - delta : rank, sim_file,
                    sim_line);
    }
    SIM_METHOD unsigned ballot(int predicate, SIM_PLACE) const
    {
        return ranks(__ballot_sync(mask_, predicate, sim_file, sim_line));
    }
    SIM_METHOD int any(int predicate, SIM_PLACE) const
    {
        return __any_sync(mask_, predicate, sim_file, sim_line);
    }
    SIM_METHOD int all(int predicate, SIM_PLACE) const
    {
        return __all_sync(mask_, predicate, sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD unsigned match_any(T value, SIM_PLACE) const
    {
        return ranks(__match_any_sync(mask_, value, sim_file, sim_line));
    }
};

SIM_INLINE coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/** Threads of what a tile is a part of: the block, or a larger tile. */
template <class Parent>
struct sim_parent {
    SIM_METHOD static unsigned size()
    {
        return sim_block_threads();
    }
    SIM_METHOD static unsigned rank()
    {
        return sim_rank_in_block();
    }
};

/** Size neighbouring lanes of a warp, Size a power of two up to 32. */
template <unsigned Size, class Parent = void>
class thread_block_tile
{
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "simulator: tiles have 1, 2, 4, 8, 16 or 32 threads");

    /** First lane of this tile in its warp. */
    SIM_METHOD static unsigned first()
    {
        return sim_rank_in_block() & 31 & ~(Size - 1);
    }
    SIM_METHOD static unsigned mask()
    {
        return (unsigned)((1ull << Size) - 1) << first();
    }

  public:
    thread_block_tile() = default;
    /** The parent may be forgotten: thread_block_tile<32> tile = ... */
    template <class Other>
    SIM_METHOD thread_block_tile(const thread_block_tile<Size, Other> &)
    {
    }
    SIM_METHOD static constexpr unsigned size()
    {
        return Size;
    }
    SIM_METHOD static constexpr unsigned num_threads()
    {
        return Size;
    }
    SIM_METHOD static unsigned thread_rank()
    {
        return sim_rank_in_block() & (Size - 1);
    }
    SIM_METHOD static unsigned meta_group_rank()
    {
        return sim_parent<Parent>::rank() / Size;
    }
    SIM_METHOD static unsigned meta_group_size()
    {
        return (sim_parent<Parent>::size() + Size - 1) / Size;
    }
    SIM_METHOD static void sync(SIM_PLACE)
    {
        __syncwarp(mask(), sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD static T shfl(T value, int rank, SIM_PLACE)
    {
        return __shfl_sync(mask(), value, rank, Size, sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD static T shfl_up(T value, unsigned delta, SIM_PLACE)
    {
        return __shfl_up_sync(mask(), value, delta, Size, sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD static T shfl_down(T value, unsigned delta, SIM_PLACE)
    {
        return __shfl_down_sync(mask(), value, delta, Size, sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD static T shfl_xor(T value, unsigned lanes, SIM_PLACE)
    {
        return __shfl_xor_sync(mask(), value, (int)lanes, Size, sim_file,
                               sim_line);
    }
    SIM_METHOD static unsigned ballot(int predicate, SIM_PLACE)
    {
        return __ballot_sync(mask(), predicate, sim_file, sim_line) >> first();
    }
    SIM_METHOD static int any(int predicate, SIM_PLACE)
    {
        return __any_sync(mask(), predicate, sim_file, sim_line);
    }
    SIM_METHOD static int all(int predicate, SIM_PLACE)
    {
        return __all_sync(mask(), predicate, sim_file, sim_line);
    }
    template <class T>
    SIM_METHOD static unsigned match_any(T value, SIM_PLACE)
    {
        return __match_any_sync(mask(), value, sim_file, sim_line) >> first();
    }
};

template <unsigned Size, class Parent>
struct sim_parent<thread_block_tile<Size, Parent>> {
    SIM_METHOD static unsigned size()
    {
        return Size;
    }
    SIM_METHOD static unsigned rank()
    {
        return sim_rank_in_block() & (Size - 1);
    }
};

template <unsigned Size>
SIM_INLINE thread_block_tile<Size, thread_block>
tiled_partition(const thread_block &)
{
    return {};
}

template <unsigned Size, unsigned Larger, class Parent>
SIM_INLINE thread_block_tile<Size, thread_block_tile<Larger, Parent>>
tiled_partition(const thread_block_tile<Larger, Parent> &)
{
    static_assert(Size <= Larger, "a part is not larger than the whole");
    return {};
}

/** The size known at run time only. */
SIM_INLINE coalesced_group tiled_partition(const thread_block &, unsigned size)
{
    unsigned first = sim_rank_in_block() & 31 & ~(size - 1);
    return coalesced_group((unsigned)((1ull << size) - 1) << first);
}

typedef coalesced_group thread_group;

template <class Group>
SIM_INLINE void sync(const Group &group, SIM_PLACE)
{
    group.sync(sim_file, sim_line);
}

} // namespace cooperative_groups

#endif
