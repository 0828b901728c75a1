/**
 * @file 7_bank_private.cuh
 * @brief A copy of the bins for each lane, all of it in the bank of that lane.
 *
 * Change: the bins are a table of 256 rows and 32 columns, and lane l counts
 *         in column l. Bytes come 16 at a time, LOADS loads ahead of their use.
 * Reason: a row is 32 words, one in each bank: whatever rows the 32 lanes hit,
 *         their banks differ, so the time does not depend on the input. And
 *         while a thread counts 16 bytes, the next 64 are under way.
 * Limit:  the memory itself.
 */

#ifndef THREADS
#define THREADS 1024 /**< of a block */
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 1 /**< that work on an SM at the same time */
#endif
#ifndef LOADS
#define LOADS 4 /**< 16-byte loads of a thread that are under way at a time */
#endif
#ifndef COLUMNS
#define COLUMNS 32 /**< of the table; lane l counts in column l % COLUMNS */
#endif

static_assert(COLUMNS <= 32 && 32 % COLUMNS == 0, "lanes share columns evenly");

/** Sixteen @p i, or 0 behind the end. */
__device__ uint4 load_sixteen(const uint4 *x, int i, int sixteens)
{
    return i < sixteens ? x[i] : make_uint4(0, 0, 0, 0);
}

/** The table: row v counts value v. */
typedef unsigned row[COLUMNS];

// [count]
/** Count a byte in the column of this lane. */
__device__ void count_byte(row *table, int column, unsigned byte)
{
    atomicAdd(&table[byte][column], 1);
}

/** Count the four bytes of a word. */
__device__ void count_word(row *table, int column, unsigned word)
{
    count_byte(table, column, word & 255);
    count_byte(table, column, word >> 8 & 255);
    count_byte(table, column, word >> 16 & 255);
    count_byte(table, column, word >> 24);
}
// [count]

/** Count the bytes of four words. */
__device__ void count_sixteen(row *table, int column, uint4 words)
{
    count_word(table, column, words.x);
    count_word(table, column, words.y);
    count_word(table, column, words.z);
    count_word(table, column, words.w);
}

/** A block clears its table, 16 bytes a store. */
__device__ void clear_table(row *table)
{
    uint4 *fours = (uint4 *)table;
    for (int i = threadIdx.x; i < BYTE_BINS * COLUMNS / 4; i += THREADS)
        fours[i] = make_uint4(0, 0, 0, 0);
}

/**
 * A block adds the rows of its table to the result, one thread a row. That of
 * row v begins in column v: 32 lanes are in 32 banks in every step.
 */
// [merge]
template <int BINS>
__device__ void merge_table(const row *table, unsigned *counts)
{
    for (int value = threadIdx.x; value < BYTE_BINS; value += THREADS) {
        unsigned sum = 0;
        for (int k = 0; k < COLUMNS; k++)
            sum += table[value][(value + k) % COLUMNS];
        unsigned bin = bin_of<BINS>(value);
        if (bin < BINS && sum > 0)
            atomicAdd(&counts[bin], sum);
    }
}
// [merge]

/**
 * Thread t of all threads counts sixteens t, t + threads, t + 2 * threads, ...
 *
 * It counts values, also for letters: which bin a value belongs to is asked
 * for 256 sums at the end, not for n bytes.
 *
 * Launch: block THREADS, grid full_grid(h->n, 16 * THREADS, BLOCKS_PER_SM);
 * counts are 0 before.
 */
template <int BINS>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    bank_private_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ __align__(16) row table[BYTE_BINS];
    int column = threadIdx.x % COLUMNS;
    const uint4 *fast = (const uint4 *)x;
    int sixteens = (int)(n / 16); // less than 2^28, since n is below 2^32
    int threads = gridDim.x * THREADS;
    int i = blockIdx.x * THREADS + threadIdx.x; // as dealt in variant 5
    int rounds = sixteens / (LOADS * threads);  // whole ones
    // [bank_private]
    uint4 ahead[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        ahead[k] = load_sixteen(fast, i + k * threads, sixteens);
    clear_table(table);
    __syncthreads(); // all bins are 0 before anybody counts
    for (int round = 0; round < rounds; round++) {
        i += LOADS * threads;
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            uint4 now = ahead[k];
            ahead[k] = load_sixteen(fast, i + k * threads, sixteens);
            count_sixteen(table, column, now);
        }
    }
    // [bank_private]
    // The last round is not whole.
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        if (i + k * threads < sixteens)
            count_sixteen(table, column, ahead[k]);
    }
    // Up to 15 bytes are left behind the last sixteen.
    if (blockIdx.x == 0 && threadIdx.x < n % 16)
        count_byte(table, column, x[n - 1 - threadIdx.x]);
    __syncthreads(); // all have counted before the table is read
    merge_table<BINS>(table, counts);
}

template <int BINS>
static void launch_bank_private(const histogram *h)
{
    unsigned grid = full_grid(h->n, 16 * THREADS, BLOCKS_PER_SM);
    bank_private_kernel<BINS><<<grid, THREADS>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(bank_private_kernel<BINS>, grid, THREADS, 0);
}
