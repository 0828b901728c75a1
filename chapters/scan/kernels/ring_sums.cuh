/**
 * @file ring_sums.cuh
 * @brief The warps of 10_ring.cuh that make sums: adders and looker.
 */

/* ---- from block to block ------------------------------------------------- */

/**
 * The sums of each block's latest rounds, and in the same word the number of
 * the round. Numbers go on from launch to launch, so nothing must be cleared
 * before one; but no two launches may run at the same time, and in one stream
 * they do not.
 */
__device__ unsigned long long round_sums[ROUNDS][MAX_BLOCKS];
__device__ unsigned rounds_before; /**< of all launches before this one */
__device__ unsigned blocks_done;   /**< of this launch */

/** Tell all blocks the sum of this block's tile of a round. */
__device__ void tell_round(unsigned round, float sum)
{
    volatile unsigned long long *place =
        &round_sums[round % ROUNDS][blockIdx.x];
    *place = word_of(round, sum);
}

/** What a block has told last in the place of a round. */
__device__ unsigned long long look_round(unsigned round, unsigned block)
{
    const volatile unsigned long long *place =
        &round_sums[round % ROUNDS][block];
    return *place;
}

/** This block is done, by one thread; the last block counts the rounds. */
__device__ void count_rounds(int64_t n)
{
    unsigned last = gridDim.x - 1;
    __threadfence(); // this block has read rounds_before
    if (atomicInc(&blocks_done, last) != last) // the last one sets it to 0
        return;
    int64_t tiles = (n + RING_TILE - 1) / RING_TILE;
    rounds_before += (unsigned)((tiles + gridDim.x - 1) / gridDim.x);
}

/* ---- the warps ----------------------------------------------------------- */

/** An adder, one warp: the sums of every ADDERS-th slot, told to all. */
template <operation OP>
__device__ void add_tiles(ring_slots *s, int64_t n, int adder)
{
    int lane = threadIdx.x % 32;
    for (place p = first_place(); p.tile * RING_TILE < n; go_on(&p)) {
        if (p.round % ADDERS != adder)
            continue;
        s->full[p.slot].wait_parity(p.phase);
        const float4 *v = (const float4 *)s->tile[p.slot];
        float total = identity<OP>();
#pragma unroll
        for (int part = 0; part < SCANNERS; part++) {
            float sum = identity<OP>();
#pragma unroll
            for (int r = 0; r < PART_ROWS; r++)
                sum = combine<OP>(
                    sum,
                    combine_four<OP>(v[32 * (part * PART_ROWS + r) + lane]));
            if (lane == 0)
                s->part_front[p.slot][part] = total;
            total = combine<OP>(total, reduce_warp<OP>(sum));
        }
        __syncwarp(); // all lanes have read before lane 0 arrives
        if (lane == 0) {
            tell_round(s->rounds_before + p.round + 1, total);
            (void)s->summed[p.slot].arrive();
        }
    }
}

/** The looker, one warp: what stands before each of the block's tiles. */
template <operation OP>
__device__ void add_sums(ring_slots *s, int64_t n)
{
    int lane = threadIdx.x % 32;
    unsigned rounds_before = s->rounds_before;
    float front = identity<OP>();
    for (place p = first_place(); p.tile * RING_TILE < n; go_on(&p)) {
        unsigned long long word[LOOKS];
        unsigned block[LOOKS], round[LOOKS];
#pragma unroll
        for (int k = 0; k < LOOKS; k++) { // all are asked for at once
            unsigned i = 32 * k + lane;   // of the gridDim.x tiles before
            bool wraps = blockIdx.x + i >= gridDim.x;
            block[k] = blockIdx.x + i - (wraps ? gridDim.x : 0);
            round[k] = rounds_before + p.round + (wraps ? 1 : 0);
            word[k] = i < gridDim.x && (wraps || p.round > 0)
                          ? look_round(round[k], block[k])
                          : word_of(round[k], identity<OP>());
        }
        // [looker]
        float sum = identity<OP>();
#pragma unroll
        for (int k = 0; k < LOOKS; k++) { // each is waited for
            while (state_of(word[k]) != round[k]) {
                __nanosleep(20); // others use the same L2
                word[k] = look_round(round[k], block[k]);
            }
            sum = combine<OP>(sum, value_of(word[k]));
        }
        front = combine<OP>(front, reduce_warp<OP>(sum));
        // From now on scanners overwrite the slot: its adder must be done.
        s->summed[p.slot].wait_parity(p.phase);
        if (lane == 0) {
            s->front[p.slot] = front;
            (void)s->known[p.slot].arrive();
        }
        // [looker]
    }
    if (lane == 0)
        count_rounds(n);
}
