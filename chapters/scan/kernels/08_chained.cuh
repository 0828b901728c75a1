/**
 * @file 08_chained.cuh
 * @brief One launch: a block waits for the sum of the one before it.
 *
 * Change: a block scans its tile, waits until the block before has told it what
 *         stands before that tile, and tells the next one.
 * Reason: a tile is read once and written once: 2N words move, not 3N.
 * Limit:  a chain with a link for every tile: a store to the L2 and a load by
 *         another SM, one after the other.
 * Uses:   scan_block (6), TILE, THREADS, ROWS and rows.cuh (7)
 */

/* ---- words from block to block ------------------------------------------- */

/**
 * What is known of a tile: its aggregate is the sum of its own elements, its
 * inclusive prefix the sum of all up to its last one.
 */
enum { NOTHING, AGGREGATE, PREFIX };

/** State and value in one word of 8 bytes: who sees the one has the other. */
__device__ unsigned long long word_of(unsigned state, float value)
{
    return (unsigned long long)state << 32 | __float_as_uint(value);
}

__device__ unsigned state_of(unsigned long long word)
{
    return (unsigned)(word >> 32);
}

__device__ float value_of(unsigned long long word)
{
    return __uint_as_float((unsigned)word);
}

/** Tell all blocks about a tile; words[0] is the ticket. */
__device__ void tell(unsigned long long *words, int64_t tile, unsigned state,
                     float value)
{
    *(volatile unsigned long long *)&words[1 + tile] = word_of(state, value);
}

/** What has been told about a tile so far; volatile: ask each time. */
__device__ unsigned long long look(const unsigned long long *words,
                                   int64_t tile)
{
    return *(const volatile unsigned long long *)&words[1 + tile];
}

/**
 * The next tile, for the whole block.
 *
 * Blocks need not begin in the order of their numbers. Who draws a ticket only
 * waits for blocks that have drawn before, so they run and will be done.
 */
__device__ int64_t draw_tile(unsigned long long *words)
{
    __shared__ int64_t tile;
    if (threadIdx.x == 0)
        tile = (int64_t)atomicAdd(&words[0], 1ull);
    __syncthreads(); // drawn before all read it
    return tile;
}

/** Set ticket and words to 0, NOTHING: in each run, so that it counts. */
static void clear_words(const scan *s, int64_t tiles)
{
    CUDA_CHECK(
        cudaMemsetAsync(s->words, 0, (size_t)(1 + tiles) * sizeof(*s->words)));
}

/* ---- the kernel ---------------------------------------------------------- */

/** What stands before @p tile, told by its neighbour; by one thread. */
template <operation OP>
__device__ float wait_for_neighbour(const unsigned long long *words,
                                    int64_t tile)
{
    if (tile == 0)
        return identity<OP>();
    unsigned long long word;
    do
        word = look(words, tile - 1);
    while (state_of(word) != PREFIX);
    return value_of(word);
}

/** A block scans a tile. Launch: block THREADS, a block for each tile. */
template <operation OP, scan_kind KIND>
__global__ void __launch_bounds__(THREADS, 1)
    chained_kernel(int64_t n, const float *x, unsigned long long *words,
                   float *y)
{
    __shared__ float front; // what stands before the tile
    int64_t tile = draw_tile(words);
    int64_t start = tile * TILE;
    float4 v[ROWS];
    float before[ROWS];
    load_rows<OP>(n - start, x + start, v);
    // [chained]
    float sum = scan_rows<OP, ROWS>(v, before);
    float warp_front = scan_block<OP>(&sum);
    if (threadIdx.x == 0) {
        front = wait_for_neighbour<OP>(words, tile);
        tell(words, tile, PREFIX, combine<OP>(front, sum));
    }
    __syncthreads(); // thread 0 knows before all use it
    // [chained]
    store_rows<OP, KIND>(n - start, y + start, combine<OP>(front, warp_front),
                         v, before);
}

template <operation OP, scan_kind KIND>
static void launch_chained(const scan *s)
{
    unsigned tiles = device_blocks(s->n, TILE);
    clear_words(s, tiles);
    chained_kernel<OP, KIND><<<tiles, THREADS>>>(s->n, s->x, s->words, s->y);
    CHECK_LAUNCH((chained_kernel<OP, KIND>), tiles, THREADS, 0);
}
