/**
 * @file 9_ticket.cuh
 * @brief One launch: the block that finishes last adds up what all have left.
 *
 * Change: a block leaves its value in a slot of its own and draws a ticket. Who
 *         draws the last one combines the slots and stores the result.
 * Reason: no launch before to set the result. The slots are combined in the
 *         same order whichever block is last: equal inputs give equal bits.
 * Limit:  the memory itself; at small n the last block, which begins a second
 *         tree when all others have ended.
 * Uses:   reduce_thread (7), reduce_block (8)
 */

#define SLOTS 1024 /**< blocks of a grid, at most */

__device__ float slots[SLOTS]; /**< a value of each block */
__device__ unsigned tickets;   /**< that were drawn; 0 between launches */

/**
 * The grid reduces x. No block waits for another one, so it ends whatever their
 * order is. The tickets are those of one launch: no two may run at a time.
 *
 * Launch: block BLOCK, grid full_grid(n, 4 * TILE), at most SLOTS.
 */
template <operation OP>
__global__ void __launch_bounds__(BLOCK, PER_SM)
    ticket_kernel(int64_t n, const float *x, float *result)
{
    int t = threadIdx.x;
    float value = reduce_block<OP>(reduce_thread<OP>(n, x));
    __shared__ bool last;
    // [ticket]
    if (t == 0) {
        slots[blockIdx.x] = value;
        __threadfence(); // the value is there before the ticket is drawn
        last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
        if (last)
            __threadfence(); // it is drawn before the slots are read
    }
    __syncthreads(); // all threads know whether theirs is the last block
    if (!last)
        return;
    value = identity<OP>();
    for (unsigned i = t; i < gridDim.x; i += BLOCK)
        value = combine<OP>(value, slots[i]);
    value = reduce_block<OP>(value);
    // [ticket]
    if (t == 0)
        *result = value;
}

template <operation OP>
static void launch_ticket(const reduction *r)
{
    unsigned grid = min(full_grid(r->n, 4 * TILE), (unsigned)SLOTS);
    ticket_kernel<OP><<<grid, BLOCK>>>(r->n, r->x, r->result);
    CHECK_LAUNCH(ticket_kernel<OP>, grid, BLOCK, 0);
}
