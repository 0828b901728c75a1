/**
 * @file cooperative_groups.h
 * @brief Groups of threads as objects: block, tile, active lanes, grid,
 * cluster.
 *
 * Thin covers of barriers and shuffles. Up to a warp a group is a mask of
 * lanes; ranks count its lanes from the lowest on.
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

/** Lanes of the calling thread's warp: fewer in the last one of a block. */
SIM_INLINE unsigned sim_lanes_of_warp()
{
    unsigned left = sim_block_threads() - (sim_rank_in_block() & ~31u);
    return left < 32 ? (1u << left) - 1 : ~0u;
}

/** A shuffle of up to 32 bytes, 8 at a time. */
template <class T>
SIM_INLINE T sim_shuffle(int op, unsigned mask, const T &value, int source,
                         int width, const char *file, int line)
{
    static_assert(sizeof(T) <= 32, "a shuffle moves at most 32 bytes");
    uint64_t words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (uint64_t &word : words)
        word = sim_warp(op, mask, word, source, width, file, line, 0);
    T result;
    __builtin_memcpy(&result, words, sizeof(T));
    return result;
}

/* ---- the block ----------------------------------------------------------- */

/** Room for tiles of more than a warp on older GPUs; not needed here. */
template <unsigned Threads = 1024>
struct block_tile_memory {
};

/** All threads of the block. */
class thread_block
{
  public:
    typedef uint64_t arrival_token; /**< of barrier_arrive() */

    SIM_HAS(static void, sync(SIM_PLACE), __syncthreads(SIM_AT))
    SIM_HAS(static unsigned, thread_rank(), sim_rank_in_block())
    SIM_HAS(static unsigned, size(), sim_block_threads())
    SIM_HAS(static unsigned, num_threads(), sim_block_threads())
    SIM_HAS(static dim3, group_index(),
            dim3(sim_block_x(), sim_block_y(), sim_block_z()))
    SIM_HAS(static dim3, thread_index(),
            dim3(sim_thread_x(), sim_thread_y(), sim_thread_z()))
    SIM_HAS(static dim3, group_dim(),
            dim3(sim_block_dim_x(), sim_block_dim_y(), sim_block_dim_z()))
    SIM_HAS(static dim3, dim_threads(), group_dim())
};

SIM_IS(thread_block, this_thread_block, (), {})

template <unsigned Threads>
SIM_INLINE thread_block this_thread_block(block_tile_memory<Threads> &)
{
    return {};
}

/* ---- lanes of a warp ----------------------------------------------------- */

/** Some lanes of one warp: those that are here together, or a part of them. */
class coalesced_group
{
    unsigned mask_;      /* the lanes */
    unsigned part_ = 0;  /* number of this group among the parts */
    unsigned parts_ = 1; /* that its parent was divided into */

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
    SIM_METHOD explicit coalesced_group(unsigned mask, unsigned part = 0,
                                        unsigned parts = 1)
        : mask_(mask), part_(part), parts_(parts)
    {
    }
    /** The lanes, for the functions of these headers. */
    SIM_HAS(unsigned, sim_mask() const, mask_)
    SIM_HAS(unsigned, size() const, (unsigned)__popc(mask_))
    SIM_HAS(unsigned, num_threads() const, size())
    SIM_HAS(unsigned, thread_rank() const,
            (unsigned)__popc(((1u << (sim_rank_in_block() & 31)) - 1) & mask_))
    SIM_HAS(unsigned, meta_group_rank() const, part_)
    SIM_HAS(unsigned, meta_group_size() const, parts_)
    SIM_HAS(void, sync(SIM_PLACE) const, __syncwarp(mask_, SIM_AT))
    template <class T>
    SIM_METHOD T shfl(T value, unsigned rank, SIM_PLACE) const
    {
        return sim_shuffle(SIM_SHUFFLE, mask_, value, lane(rank % size()), 32,
                           SIM_AT);
    }
    template <class T>
    SIM_METHOD T shfl_down(T value, unsigned delta, SIM_PLACE) const
    {
        unsigned rank = thread_rank() + delta;
        return shfl(value, rank < size() ? rank : thread_rank(), SIM_AT);
    }
    template <class T>
    SIM_METHOD T shfl_up(T value, unsigned delta, SIM_PLACE) const
    {
        unsigned rank = thread_rank();
        return shfl(value, rank >= delta ? rank - delta : rank, SIM_AT);
    }
    SIM_HAS(unsigned, ballot(int predicate, SIM_PLACE) const,
            ranks(__ballot_sync(mask_, predicate, SIM_AT)))
    SIM_HAS(int, any(int predicate, SIM_PLACE) const,
            __any_sync(mask_, predicate, SIM_AT))
    SIM_HAS(int, all(int predicate, SIM_PLACE) const,
            __all_sync(mask_, predicate, SIM_AT))
    template <class T>
    SIM_HAS(unsigned, match_any(T value, SIM_PLACE) const,
            ranks(__match_any_sync(mask_, value, SIM_AT)))
    template <class T>
    SIM_HAS(unsigned, match_all(T value, int &all, SIM_PLACE) const,
            ranks(__match_all_sync(mask_, value, &all, SIM_AT)))
};

SIM_IS(coalesced_group, coalesced_threads, (), coalesced_group(__activemask()))

/* ---- tiles --------------------------------------------------------------- */

/** Threads of what a tile is a part of: the block, or a larger tile. */
template <class Parent>
struct sim_parent {
    SIM_HAS(static unsigned, size(), sim_block_threads())
    SIM_HAS(static unsigned, rank(), sim_rank_in_block())
};

/** What all tiles have, whatever their size. */
template <unsigned Size, class Parent>
class sim_tile
{
    static_assert(Size >= 1 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "simulator: the size of a tile is a power of two up to 1024");

  public:
    SIM_HAS(static constexpr unsigned, size(), Size)
    SIM_HAS(static constexpr unsigned, num_threads(), Size)
    SIM_HAS(static unsigned, thread_rank(), sim_rank_in_block() & (Size - 1))
    SIM_HAS(static unsigned, meta_group_rank(),
            sim_parent<Parent>::rank() / Size)
    SIM_HAS(static unsigned, meta_group_size(),
            (sim_parent<Parent>::size() + Size - 1) / Size)
};

/** Size neighbouring threads of a block, Size a power of two. */
template <unsigned Size, class Parent = void, bool InWarp = (Size <= 32)>
class thread_block_tile : public sim_tile<Size, Parent>
{
    /** First lane of this tile in its warp. */
    SIM_HAS(static unsigned, first(), sim_rank_in_block() & 31 & ~(Size - 1))

  public:
    thread_block_tile() = default;
    /** The parent may be forgotten: thread_block_tile<32> tile = ... */
    template <class Other>
    SIM_METHOD thread_block_tile(const thread_block_tile<Size, Other> &)
    {
    }
    /** The lanes, for the functions of these headers. */
    SIM_HAS(static unsigned, sim_mask(),
            (unsigned)((1ull << Size) - 1) << first())
    SIM_HAS(static void, sync(SIM_PLACE), __syncwarp(sim_mask(), SIM_AT))
#define SIM_SHFL(name, op, Second)                                             \
    template <class T>                                                         \
    SIM_METHOD static T name(T value, Second second, SIM_PLACE)                \
    {                                                                          \
        return sim_shuffle(op, sim_mask(), value, (int)second, Size, SIM_AT);  \
    }
    SIM_SHFL(shfl, SIM_SHUFFLE, int)
    SIM_SHFL(shfl_up, SIM_SHUFFLE_UP, unsigned)
    SIM_SHFL(shfl_down, SIM_SHUFFLE_DOWN, unsigned)
    SIM_SHFL(shfl_xor, SIM_SHUFFLE_XOR, unsigned)
#undef SIM_SHFL
    SIM_HAS(static unsigned, ballot(int predicate, SIM_PLACE),
            __ballot_sync(sim_mask(), predicate, SIM_AT) >> first())
    SIM_HAS(static int, any(int predicate, SIM_PLACE),
            __any_sync(sim_mask(), predicate, SIM_AT))
    SIM_HAS(static int, all(int predicate, SIM_PLACE),
            __all_sync(sim_mask(), predicate, SIM_AT))
    template <class T>
    SIM_HAS(static unsigned, match_any(T value, SIM_PLACE),
            __match_any_sync(sim_mask(), value, SIM_AT) >> first())
    template <class T>
    SIM_HAS(static unsigned, match_all(T value, int &all, SIM_PLACE),
            __match_all_sync(sim_mask(), value, &all, SIM_AT) >> first())
};

/** A tile of several warps. */
template <unsigned Size, class Parent>
class thread_block_tile<Size, Parent, false> : public sim_tile<Size, Parent>
{
  public:
    thread_block_tile() = default;
    template <class Other>
    SIM_METHOD thread_block_tile(const thread_block_tile<Size, Other> &)
    {
    }
    /** First thread of this tile in its block. */
    SIM_HAS(static unsigned, sim_first(), sim_rank_in_block() & ~(Size - 1))
    SIM_HAS(static void, sync(SIM_PLACE),
            sim_tile_sync(sim_first(), Size, SIM_AT, 0))
    /** The value of the thread with this rank. */
    template <class T>
    SIM_METHOD static T shfl(T value, int rank, SIM_PLACE)
    {
        sim_lane_show(&value);
        sync(SIM_AT);
        T result;
        sim_lane_look(sim_first() + ((unsigned)rank & (Size - 1)), &result,
                      sizeof result);
        sync(SIM_AT); /* value is gone afterwards */
        return result;
    }
    SIM_METHOD static int any(int predicate, SIM_PLACE)
    {
        int mine = __any_sync(sim_lanes_of_warp(), predicate, SIM_AT);
        int result = 0;
        sim_lane_show(&mine);
        sync(SIM_AT);
        for (unsigned t = 0; t < Size; t += 32) {
            int other;
            sim_lane_look(sim_first() + t, &other, sizeof other);
            result |= other;
        }
        sync(SIM_AT);
        return result;
    }
    SIM_HAS(static int, all(int predicate, SIM_PLACE), !any(!predicate, SIM_AT))
};

template <unsigned Size, class Parent>
struct sim_parent<thread_block_tile<Size, Parent>> {
    SIM_HAS(static unsigned, size(), Size)
    SIM_HAS(static unsigned, rank(), sim_rank_in_block() & (Size - 1))
};

/* ---- a group of any kind ------------------------------------------------- */

/** A block, a tile or some lanes: known at run time only. */
class thread_group
{
    unsigned mask_;  /* lanes of a warp; 0: neighbouring threads */
    unsigned first_; /* of these */
    unsigned size_;  /* of these */

    SIM_METHOD thread_group(unsigned mask, unsigned first, unsigned size)
        : mask_(mask), first_(first), size_(size)
    {
    }

  public:
    SIM_METHOD thread_group(const thread_block &)
        : mask_(0), first_(0), size_(sim_block_threads())
    {
    }
    SIM_METHOD thread_group(const coalesced_group &group)
        : mask_(group.sim_mask()), first_(0), size_(group.size())
    {
    }
    template <unsigned Size, class Parent>
    SIM_METHOD thread_group(const thread_block_tile<Size, Parent, true> &)
        : mask_(thread_block_tile<Size, Parent>::sim_mask()), first_(0),
          size_(Size)
    {
    }
    template <unsigned Size, class Parent>
    SIM_METHOD thread_group(const thread_block_tile<Size, Parent, false> &)
        : mask_(0), first_(thread_block_tile<Size, Parent>::sim_first()),
          size_(Size)
    {
    }
    SIM_HAS(unsigned, size() const, size_)
    SIM_HAS(unsigned, num_threads() const, size_)
    SIM_HAS(unsigned, thread_rank() const,
            mask_ ? coalesced_group(mask_).thread_rank()
                  : sim_rank_in_block() - first_)
    SIM_METHOD void sync(SIM_PLACE) const
    {
        if (mask_)
            __syncwarp(mask_, SIM_AT);
        else if (size_ == sim_block_threads())
            __syncthreads(SIM_AT);
        else
            sim_tile_sync(first_, size_, SIM_AT, 0);
    }
    /** Parts of @p size threads each, a power of two up to 32. */
    SIM_METHOD thread_group sim_part(unsigned size) const
    {
        unsigned rank = thread_rank(), start = rank & ~(size - 1), mask = 0;
        if (!mask_) {
            unsigned lane = sim_rank_in_block() & 31 & ~(size - 1);
            return coalesced_group((unsigned)((1ull << size) - 1) << lane);
        }
        unsigned rest = mask_;
        for (unsigned i = 0; rest; i++, rest &= rest - 1)
            if (i >= start && i < start + size)
                mask |= rest & -rest;
        return coalesced_group(mask, rank / size, (size_ + size - 1) / size);
    }
};

/* ---- partitions ---------------------------------------------------------- */

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
SIM_INLINE thread_group tiled_partition(const thread_group &group,
                                        unsigned size)
{
    return group.sim_part(size);
}

/** The lanes of a group for which the predicate says the same. */
template <class Group>
SIM_INLINE coalesced_group binary_partition(const Group &group, bool predicate,
                                            SIM_PLACE)
{
    unsigned mask = group.sim_mask();
    unsigned yes = __ballot_sync(mask, predicate, SIM_AT);
    return coalesced_group(predicate ? yes : mask & ~yes, predicate, 2);
}

/** The lanes of a group that have the same label. */
template <class Group, class Label>
SIM_INLINE coalesced_group labeled_partition(const Group &group, Label label,
                                             SIM_PLACE)
{
    unsigned mask = group.sim_mask(), lane = sim_rank_in_block() & 31;
    unsigned same = __match_any_sync(mask, label, SIM_AT);
    unsigned lowest = same & -same; /* a part is numbered by its lowest lane */
    unsigned leaders = __ballot_sync(mask, lowest == 1u << lane, SIM_AT);
    return coalesced_group(same, (unsigned)__popc(leaders & (lowest - 1)),
                           (unsigned)__popc(leaders));
}

/* ---- the grid ------------------------------------------------------------ */

/** All threads of the grid; sync() needs cudaLaunchCooperativeKernel(). */
class grid_group
{
  public:
    SIM_HAS(static unsigned long long, num_blocks(),
            (unsigned long long)sim_grid_dim_x() * sim_grid_dim_y() *
                sim_grid_dim_z())
    SIM_HAS(static unsigned long long, block_rank(),
            ((unsigned long long)sim_block_z() * sim_grid_dim_y() +
             sim_block_y()) *
                    sim_grid_dim_x() +
                sim_block_x())
    SIM_HAS(static unsigned long long, size(),
            num_blocks() * sim_block_threads())
    SIM_HAS(static unsigned long long, num_threads(), size())
    SIM_HAS(static unsigned long long, thread_rank(),
            block_rank() * sim_block_threads() + sim_rank_in_block())
    SIM_HAS(static dim3, block_index(),
            dim3(sim_block_x(), sim_block_y(), sim_block_z()))
    SIM_HAS(static dim3, group_dim(),
            dim3(sim_grid_dim_x(), sim_grid_dim_y(), sim_grid_dim_z()))
    SIM_HAS(static dim3, dim_blocks(), group_dim())
    /** Is this a cooperative launch? */
    SIM_HAS(static bool, is_valid(), sim_is_cooperative())
    SIM_HAS(static void, sync(SIM_PLACE), sim_wait_grid(SIM_AT, 0))
};

SIM_IS(grid_group, this_grid, (), {})

/* ---- the cluster --------------------------------------------------------- */

/** All threads of the blocks that see each other's shared memory. */
class cluster_group
{
  public:
    typedef int arrival_token; /**< of barrier_arrive() */

    SIM_HAS(static arrival_token, barrier_arrive(), (sim_cluster_arrive(0), 0))
    SIM_HAS(static void, barrier_wait(arrival_token && = 0),
            sim_cluster_wait(0))
    SIM_HAS(static void, sync(), sim_cluster_arrive(0), sim_cluster_wait(0))
    SIM_HAS(static unsigned, block_rank(), sim_cluster_rank())
    SIM_HAS(static unsigned, num_blocks(), sim_cluster_blocks())
    SIM_HAS(static unsigned, thread_rank(),
            block_rank() * sim_block_threads() + sim_rank_in_block())
    SIM_HAS(static unsigned, num_threads(), num_blocks() * sim_block_threads())
    /** What corresponds to @p p in the shared memory of another block. */
    template <class T>
    SIM_HAS(static T *, map_shared_rank(T *p, int rank),
            (T *)sim_cluster_map(p, (unsigned)rank, 0))
    /** The block in whose shared memory @p p is. */
    SIM_HAS(static unsigned, query_shared_rank(const void *p),
            (unsigned)(sim_shared_address(p) >> 24))
};

SIM_IS(cluster_group, this_cluster, (), {})

/* ---- for groups of every kind -------------------------------------------- */

template <class Group>
SIM_INLINE void sync(const Group &group, SIM_PLACE)
{
    group.sync(SIM_AT);
}

/** One thread of the group calls @p function. */
template <class Group, class Function>
SIM_INLINE void invoke_one(const Group &group, Function function)
{
    if (group.thread_rank() == 0)
        function();
}

/** The same, and all threads get what it returned. */
template <class Group, class Function>
SIM_INLINE auto invoke_one_broadcast(const Group &group, Function function,
                                     SIM_PLACE) -> decltype(function())
{
    decltype(function()) result{};
    if (group.thread_rank() == 0)
        result = function();
    return group.shfl(result, 0, SIM_AT);
}

} // namespace cooperative_groups

#endif
