/**
 * @file copies.cuh
 * @brief From global memory to swizzled tiles by cp.async: where pieces of 16
 *        bytes lie without bank conflicts, and what each thread copies.
 */

#define A_PIECES (BK / HALVES) /**< of 16 bytes in a row of A's tile: 4 */
#define B_PIECES (BN / HALVES) /**< in a row of B's: 32 */

/**
 * Where piece @p piece of a row of A's tile lies (halves). A row is half of the
 * 32 banks: two rows share an order.
 */
// [swizzle]
static __device__ int in_a(int row, int piece)
{
    return (row * A_PIECES + (piece ^ row / 2 % A_PIECES)) * HALVES;
}

/** The same for B's tile, whose rows are a multiple of 32 banks. */
static __device__ int in_b(int k, int piece)
{
    return (k * B_PIECES + (piece ^ k % 8)) * HALVES;
}
// [swizzle]

#define A_ROWS (MULTIPLIERS / A_PIECES) /**< that all threads copy at once */
#define B_ROWS (MULTIPLIERS / B_PIECES) /**< the same of B */
#define A_COPIES (BM / A_ROWS)          /**< of a thread for a tile of A */
#define B_COPIES (BK / B_ROWS)          /**< for one of B */

/**
 * What a thread copies next. A_ROWS and B_ROWS are multiples of 8, so that all
 * its rows have the same order: in shared memory copies lie a constant apart.
 */
typedef struct {
    const __half *a[A_COPIES]; /**< pieces of A, in rows A_ROWS apart */
    const __half *b;           /**< a piece of B */
    int64_t b_step;            /**< B_ROWS rows of it (elements) */
    int a_to, b_to;            /**< where the first ones go (halves) */
    int a_left, b_left;        /**< columns of A, rows of B from there on */
} copies;

/**
 * The first tile's. Rows past the last of A are that one again, and so are
 * columns of B: what they make, C has no place for.
 */
static __device__ copies first_copies(const product &p, int64_t tile_row,
                                      int64_t tile_col)
{
    copies c;
    int row = threadIdx.x / A_PIECES, piece = threadIdx.x % A_PIECES;
#pragma unroll
    for (int i = 0; i < A_COPIES; i++)
        c.a[i] = p.A + piece * HALVES +
                 min(tile_row + row + i * A_ROWS, (int64_t)p.M - 1) * p.lda;
    c.a_to = in_a(row, piece);
    c.a_left = p.K - piece * HALVES;
    int k = threadIdx.x / B_PIECES;
    piece = threadIdx.x % B_PIECES;
    c.b = p.B + k * p.ldb + min(tile_col + piece * HALVES, p.ldb - HALVES);
    c.b_step = B_ROWS * p.ldb;
    c.b_to = BM * BK + in_b(k, piece);
    c.b_left = p.K - k;
    return c;
}

/** Ask for 16 bytes in shared memory: zeros where there is nothing. */
static __device__ void copy_piece(__half *to, const __half *from, bool there)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(at), "l"(from), "r"(there ? 16 : 0)
                 : "memory");
}

/** Ask for the next tiles of A and B. */
// [copies]
static __device__ void copy_tiles(copies *c, __half *stage)
{
#pragma unroll
    for (int i = 0; i < A_COPIES; i++) {
        copy_piece(stage + c->a_to + i * A_ROWS * BK, c->a[i], c->a_left > 0);
        c->a[i] += BK;
    }
#pragma unroll
    for (int i = 0; i < B_COPIES; i++) {
        copy_piece(stage + c->b_to + i * B_ROWS * BN, c->b,
                   c->b_left > i * B_ROWS);
        c->b += c->b_step;
    }
    c->a_left -= BK;
    c->b_left -= BK;
    __pipeline_commit();
}
// [copies]
