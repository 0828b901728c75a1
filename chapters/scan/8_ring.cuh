/**
 * @file 8_ring.cuh
 * @brief One block an SM, and a ring of tiles that come and go by bulk copies.
 *
 * Change: a block stays, and takes every gridDim.x-th tile. Its warps have one
 *         job each, and meet at barriers of the slot that a tile lies in:
 *
 *             loader    has x copied into slots that are empty
 *             adders    sum a slot as soon as it is full, and tell all blocks
 *             looker    adds the gridDim.x sums since the block's last tile
 *             scanners  scan the slot in place and have it copied to y
 *
 * Reason: loads are under way however long somebody waits: sums are told many
 *         tiles ahead of their use. And which sums make up what stands before
 *         a tile is known without a search, so there is nothing to walk.
 * Limit:  memory: x is read and y written, and little else happens.
 */

#include <cuda/barrier>
#include <cuda/ptx>

#ifndef RING_TILE
#define RING_TILE 6144 /**< elements of a slot */
#endif
#ifndef SLOTS
#define SLOTS 8 /**< of the ring */
#endif
#ifndef SCANNERS
#define SCANNERS 12 /**< warps that scan, a part of the slot each */
#endif
#ifndef ADDERS
#define ADDERS 2 /**< warps that sum, every ADDERS-th slot each */
#endif
#define PART (RING_TILE / SCANNERS)                 /**< elements */
#define PART_ROWS (PART / 128)                      /**< float4 of a lane */
#define RING_THREADS (32 * (2 + ADDERS + SCANNERS)) /**< of a block */
#define LOOKS 5                                     /**< of a lane at others */
#define MAX_BLOCKS (32 * LOOKS)                     /**< of the grid */
#define ROUNDS 32 /**< sums of each block that are kept */

static_assert(PART_ROWS * 128 * SCANNERS == RING_TILE, "whole rows");

// A block may be 2 * SLOTS + 1 rounds behind another one, no more: a slot is
// filled again when its scanners are done, who wait for the sums of all blocks,
// whose adders wait for slots as well.
static_assert(ROUNDS >= 2 * SLOTS + 2, "sums stay until all have seen them");

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

/* ---- sums from block to block -------------------------------------------- */

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

/* ---- the warps' jobs ----------------------------------------------------- */

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

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/** The loader, one warp: tiles of x into empty slots. */
// [loader]
template <operation OP>
__device__ void load_tiles(ring_slots *s, int64_t n, const float *x)
{
    int lane = threadIdx.x % 32;
    for (place p = first_place(); p.tile * RING_TILE < n; go_on(&p)) {
        const float *from = x + p.tile * RING_TILE;
        float *to = s->tile[p.slot];
        int left = (int)min(n - p.tile * RING_TILE, (int64_t)RING_TILE);
        int whole = left / 4 * 4; // a bulk copy has a multiple of 16 bytes
        if (p.round >= SLOTS)
            s->empty[p.slot].wait_parity(!p.phase);
        for (int i = whole + lane; i < RING_TILE; i += 32) // the last tile's
            to[i] = element<OP>(left, from, i);
        __syncwarp(); // all lanes have stored before lane 0 arrives
        if (lane == 0) {
            cuda::aligned_size_t<16> bytes(whole * sizeof(float));
            if (whole > 0)
                cuda::device::memcpy_async_tx(to, from, bytes, s->full[p.slot]);
            (void)cuda::device::barrier_arrive_tx(s->full[p.slot], 1, bytes);
        }
    }
}
// [loader]

/** An adder, one warp: the sums of every ADDERS-th slot, told to all. */
// [adder]
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
// [adder]

/** The looker, one warp: what stands before each of the block's tiles. */
// [looker]
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
        for (int k = 0; k < LOOKS; k++) { // all are asked for ...
            unsigned i = 32 * k + lane;   // of the gridDim.x tiles before
            bool wraps = blockIdx.x + i >= gridDim.x;
            block[k] = blockIdx.x + i - (wraps ? gridDim.x : 0);
            round[k] = rounds_before + p.round + (wraps ? 1 : 0);
            word[k] = i < gridDim.x && (wraps || p.round > 0)
                          ? look_round(round[k], block[k])
                          : word_of(round[k], identity<OP>());
        }
        float sum = identity<OP>();
#pragma unroll
        for (int k = 0; k < LOOKS; k++) { // ... before one is needed
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
    }
    if (lane == 0)
        count_rounds(n);
}
// [looker]

/** Have the first @p left elements of a part copied to y; by a whole warp. */
__device__ void store_part(const float *part, int left, float *y)
{
    int lane = threadIdx.x % 32;
    int whole = left / 4 * 4; // a bulk copy has a multiple of 16 bytes
    // What lanes have stored, the copy must see.
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncwarp();
    if (lane == 0 && whole > 0)
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global,
                                 cuda::ptx::space_shared, y, part,
                                 whole * (unsigned)sizeof(float));
    if (lane == 0)
        cuda::ptx::cp_async_bulk_commit_group();
    if (lane < left - whole)
        y[whole + lane] = part[whole + lane];
}

/** A scanner, one warp: its part of every slot, scanned in place. */
// [scanner]
template <operation OP, scan_kind KIND>
__device__ void scan_parts(ring_slots *s, int64_t n, float *y, int scanner)
{
    int lane = threadIdx.x % 32;
    int before_slot = 0; // that the last copy was from
    for (place p = first_place(); p.tile * RING_TILE < n; go_on(&p)) {
        float *part = s->tile[p.slot] + scanner * PART;
        int64_t start = p.tile * RING_TILE + scanner * PART;
        float4 v[PART_ROWS];
        float before[PART_ROWS];
        s->full[p.slot].wait_parity(p.phase);
#pragma unroll
        for (int r = 0; r < PART_ROWS; r++)
            v[r] = ((float4 *)part)[32 * r + lane];
        scan_rows<OP, PART_ROWS>(v, before);
        s->known[p.slot].wait_parity(p.phase);
        float front =
            combine<OP>(s->front[p.slot], s->part_front[p.slot][scanner]);
#pragma unroll
        for (int r = 0; r < PART_ROWS; r++)
            ((float4 *)part)[32 * r + lane] =
                scan_four<OP, KIND>(combine<OP>(front, before[r]), v[r]);
        store_part(part, (int)max((int64_t)0, min(n - start, (int64_t)PART)),
                   y + start);
        if (lane == 0) { // the last but one copy has left its slot
            cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<1>());
            if (p.round > 0)
                (void)s->empty[before_slot].arrive();
        }
        before_slot = p.slot;
    }
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
}
// [scanner]

/** Make the barriers ready; by the whole block. */
__device__ void open_ring(ring_slots *s)
{
    if (threadIdx.x < SLOTS) {
        init(&s->full[threadIdx.x], 1);
        init(&s->summed[threadIdx.x], 1);
        init(&s->known[threadIdx.x], 1);
        init(&s->empty[threadIdx.x], SCANNERS);
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared); // for copies
    }
    if (threadIdx.x == 0)
        s->rounds_before = rounds_before;
    __syncthreads(); // ready before anybody arrives or waits
}

/**
 * The grid scans x. All blocks must run at the same time: each waits for sums
 * of all others.
 *
 * Launch: cooperative; block RING_THREADS, at most a block an SM, shared memory
 * for a ring_slots.
 */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(RING_THREADS, 1)
    ring_kernel(int64_t n, const float *x, float *y)
{
    extern __shared__ __align__(128) char shared[];
    ring_slots *s = (ring_slots *)shared;
    int warp = threadIdx.x / 32;
    open_ring(s);
    if (warp == 0)
        load_tiles<OP>(s, n, x);
    else if (warp == 1)
        add_sums<OP>(s, n);
    else if (warp < 2 + ADDERS)
        add_tiles<OP>(s, n, warp - 2);
    else
        scan_parts<OP, KIND>(s, n, y, warp - 2 - ADDERS);
}

#else

/** For a GPU without bulk copies: never launched, see ring_open(). */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(RING_THREADS, 1)
    ring_kernel(int64_t, const float *, float *)
{
}

#endif

static int device_attribute(cudaDeviceAttr attribute)
{
    int device, value;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

/** NULL, or why this device cannot run it. */
static const char *ring_open(void)
{
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 9)
        return "bulk copies need sm_90";
    if (device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) <
        (int)sizeof(ring_slots))
        return "an SM has too little shared memory for the ring";
    return NULL;
}

template <operation OP, scan_kind KIND>
static void launch_ring(const scan *s)
{
    const void *kernel = (const void *)ring_kernel<OP, KIND>;
    int64_t tiles = quotient_up(s->n, RING_TILE);
    int most =
        min(device_attribute(cudaDevAttrMultiProcessorCount), MAX_BLOCKS);
    unsigned blocks = (unsigned)min(tiles, (int64_t)most);
    size_t bytes = sizeof(ring_slots);
    void *args[] = {(void *)&s->n, (void *)&s->x, (void *)&s->y};
    CUDA_CHECK(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, blocks, RING_THREADS, args,
                                           bytes, 0));
    CHECK_LAUNCH((ring_kernel<OP, KIND>), blocks, RING_THREADS, bytes);
}
