/**
 * @file 8_bank_private.cuh
 * @brief A copy of the bins for each lane, all of it in the bank of that lane.
 *
 * Change: the bins are a table of 256 rows and 32 columns, and lane l counts
 *         in column l. One block of 1024 threads works on an SM: one table.
 * Reason: a row is 32 words, one in each bank. Whatever rows the 32 lanes hit,
 *         their banks differ, so the time does not depend on the input.
 * Limit:  a thread waits for its bytes before it counts them, and an SM has one
 *         block of them, not two.
 * Uses:   tail_at (6)
 */

#ifndef COLUMNS
#define COLUMNS 32 /**< of the table; lane l counts in column l % COLUMNS */
#endif

static_assert(COLUMNS <= 32 && 32 % COLUMNS == 0, "lanes share columns evenly");

/** The table: row v counts value v. */
typedef unsigned row[COLUMNS];

/** A block clears its table. */
__device__ void clear_table(row *table)
{
    for (int i = threadIdx.x; i < BYTE_BINS * COLUMNS; i += BLOCK)
        table[i / COLUMNS][i % COLUMNS] = 0;
    __syncthreads(); // all rows are 0 before anybody counts
}

/** Count the 16 bytes of a piece, in the column of this lane. */
// [count]
__device__ void count_piece(row *table, uint4 piece)
{
    int column = threadIdx.x % COLUMNS;
    const uint8_t *byte = (const uint8_t *)&piece;
#pragma unroll
    for (int j = 0; j < 16; j++)
        atomicAdd(&table[byte[j]][column], 1);
}
// [count]

/**
 * A block adds the rows of its table to the result, one thread a row. That of
 * row v begins in column v: 32 lanes are in 32 banks in every step.
 */
// [merge]
template <int BINS>
__device__ void merge_table(const row *table, unsigned *counts)
{
    __syncthreads(); // all have counted before the table is read
    int value = threadIdx.x;
    unsigned bin = value < BYTE_BINS ? bin_of<BINS>(value) : BINS;
    if (bin >= BINS)
        return;
    unsigned sum = 0;
    for (int k = 0; k < COLUMNS; k++)
        sum += table[value][(value + k) % COLUMNS];
    if (sum > 0)
        atomicAdd(&counts[bin], sum);
}
// [merge]

/**
 * Thread t of all threads counts pieces t, t + threads, t + 2 * threads, ...
 *
 * It counts values, also for letters: which bin a value belongs to is asked
 * for 256 sums at the end, not for n bytes.
 *
 * Launch: block BLOCK, grid full_grid(h->n, 16 * BLOCK, 1); counts are 0
 * before.
 */
template <int BINS>
__global__ void __launch_bounds__(BLOCK)
    bank_private_kernel(int64_t n, const uint8_t *x, unsigned *counts)
{
    __shared__ row table[BYTE_BINS];
    clear_table(table);
    int64_t threads = (int64_t)gridDim.x * BLOCK;
    int64_t thread = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    // [bank_private]
    const uint4 *pieces = (const uint4 *)x;
    for (int64_t i = thread; i < n / 16; i += threads)
        count_piece(table, pieces[i]);
    // [bank_private]
    if (tail_at(n) < n)
        atomicAdd(&table[x[tail_at(n)]][threadIdx.x % COLUMNS], 1);
    merge_table<BINS>(table, counts);
}

template <int BINS>
static void launch_bank_private(const histogram *h)
{
    unsigned grid = full_grid(h->n, 16 * BLOCK, 1);
    bank_private_kernel<BINS><<<grid, BLOCK>>>(h->n, h->x, h->counts);
    CHECK_LAUNCH(bank_private_kernel<BINS>, grid, BLOCK, 0);
}
