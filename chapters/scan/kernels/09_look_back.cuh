/**
 * @file 09_look_back.cuh
 * @brief Decoupled look-back: who waits adds up what others have so far.
 *
 * Change: a block tells the aggregate of its tile as soon as it has that. A
 *         warp looks back over the tiles before, 32 at a time, and adds their
 *         aggregates until it meets an inclusive prefix.
 * Reason: no block waits for a chain: a sum over 32 tiles takes as long as one
 *         link of it did.
 *         (D. Merrill and M. Garland, Single-pass Parallel Prefix Scan with
 *         Decoupled Look-back, NVIDIA technical report NVR-2016-002.)
 * Limit:  a block that looks back holds its tile in registers and loads
 *         nothing meanwhile: the memory has less to do than it could.
 * Uses:   word_of, state_of, value_of, look, tell, draw_tile, clear_words (8),
 *         reduce_warp, scan_block (6), TILE, THREADS, ROWS and rows.cuh (7)
 */

#ifndef BACK_OFF
#define BACK_OFF 0 /**< pause between two looks (ns) */
#endif

/** What is told about @p tile, once there is something; by a whole warp. */
__device__ unsigned long long
wait_for(unsigned long long word, const unsigned long long *words, int64_t tile)
{
    while (__any_sync(ALL_LANES, state_of(word) == NOTHING)) {
        if (BACK_OFF > 0)
            __nanosleep(BACK_OFF);
        if (state_of(word) == NOTHING)
            word = look(words, tile);
    }
    return word;
}

/** What stands before @p tile, in all lanes of the warp that looks. */
template <operation OP>
__device__ float look_back(const unsigned long long *words, int64_t tile)
{
    int lane = threadIdx.x % 32;
    float front = identity<OP>();
    // [look_back]
    for (int64_t i = tile - 1 - lane;; i -= 32) { // lane 0 has the nearest
        unsigned long long word =
            i < 0 ? word_of(PREFIX, identity<OP>()) : look(words, i);
        word = wait_for(word, words, i);
        unsigned whole = __ballot_sync(ALL_LANES, state_of(word) == PREFIX);
        int nearest = whole ? __ffs(whole) - 1 : 31;
        float value = lane <= nearest ? value_of(word) : identity<OP>();
        front = combine<OP>(reduce_warp<OP>(value), front);
        if (whole)
            return front;
    }
    // [look_back]
}

/** As chained_kernel, which says how it is launched. */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(THREADS)
    look_back_kernel(int64_t n, const float *x, unsigned long long *words,
                     float *y)
{
    __shared__ float shared_front; // what stands before the tile
    int64_t tile = draw_tile(words);
    int64_t start = tile * TILE;
    float4 v[ROWS];
    float before[ROWS];
    load_rows<OP>(n - start, x + start, v);
    float sum = scan_rows<OP, ROWS>(v, before);
    float warp_front = scan_block<OP>(&sum);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            tell(words, tile, AGGREGATE, sum);
        float front = look_back<OP>(words, tile);
        if (threadIdx.x == 0) {
            tell(words, tile, PREFIX, combine<OP>(front, sum));
            shared_front = front;
        }
    }
    __syncthreads(); // warp 0 knows before all use it
    store_rows<OP, KIND>(n - start, y + start,
                         combine<OP>(shared_front, warp_front), v, before);
}

template <operation OP, scan_kind KIND>
static void launch_look_back(const scan *s)
{
    unsigned tiles = device_blocks(s->n, TILE);
    clear_words(s, tiles);
    look_back_kernel<OP, KIND><<<tiles, THREADS>>>(s->n, s->x, s->words, s->y);
    CHECK_LAUNCH((look_back_kernel<OP, KIND>), tiles, THREADS, 0);
}
