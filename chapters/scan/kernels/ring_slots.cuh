/**
 * @file ring_slots.cuh
 * @brief The slots of 10_ring.cuh, and which tile lies in which of them.
 */

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

/** Shared memory of a block. */
struct ring_slots {
    float tile[SLOTS][RING_TILE];      /**< of x, then of y */
    float part_front[SLOTS][SCANNERS]; /**< before each part, in its tile */
    float front[SLOTS];                /**< what stands before the tile */
    block_barrier full[SLOTS];         /**< x is there: the loader's copy */
    block_barrier summed[SLOTS];       /**< part_front is there: an adder */
    block_barrier known[SLOTS];        /**< front is there: the looker */
    unsigned rounds_before;            /**< of all launches before this one */
    block_barrier empty[SLOTS];        /**< y is on its way: all scanners */
};

/** Where a block's round-th tile lies, and how often the slot was used. */
struct place {
    int64_t tile; /**< number of it */
    int round;    /**< of this block */
    int slot;     /**< of the ring */
    bool phase;   /**< of the slot's barriers: odd or even */
};

__device__ place first_place()
{
    return place{blockIdx.x, 0, 0, false};
}

__device__ void go_on(place *p)
{
    p->tile += gridDim.x;
    p->round++;
    p->slot = p->slot + 1 == SLOTS ? 0 : p->slot + 1;
    p->phase ^= p->slot == 0;
}
