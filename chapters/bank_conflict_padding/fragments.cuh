/**
 * @file fragments.cuh
 * @brief Tensor cores by their own instructions: ldmatrix, mma.sync.
 */

/** Four matrices of 8 x 8; each lane names a row of 16 bytes. */
// [ldmatrix]
static __device__ void load_four(unsigned r[4], const __half *row)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

/** The same, each matrix transposed. */
static __device__ void load_four_transposed(unsigned r[4], const __half *row)
{
    unsigned at = (unsigned)__cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

/** sum [16 x 8] += a [16 x 16] * b [16 x 8]. */
static __device__ void multiply_piece(float sum[4], const unsigned a[4],
                                      const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                   "r"(b[1]));
}
// [ldmatrix]

/** What a warp needs for 16 columns of A: 64 rows of A, 64 columns of B. */
typedef struct {
    unsigned a[PIECES][4]; /**< 16 x 16 each */
    unsigned b[PIECES][4]; /**< 16 x 16 each: two of 16 x 8 */
} fragments;

/**
 * Fragments of columns [k, k + 16) of A's tile. A lane begins at @p a_at and
 * @p b_at. Along a row, 16 columns further is an exclusive or, too; down the
 * tile, 16 rows further is a sum: there the orders are the same again.
 */
// [fragments]
static __device__ void load_fragments(fragments *f, const __half *As, int a_at,
                                      int b_at, int k)
{
    const __half *Bs = As + BM * BK;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        load_four(f->a[i], As + (a_at ^ k) + i * PIECE * BK);
        load_four_transposed(f->b[i], Bs + (b_at ^ i * PIECE) + k * BN);
    }
}
// [fragments]

/** A warp's 64 x 64 of C: 32 instructions. */
static __device__ void multiply(float sum[PIECES][2 * PIECES][4],
                                const fragments &f)
{
#pragma unroll
    for (int i = 0; i < PIECES; i++)
#pragma unroll
        for (int j = 0; j < 2 * PIECES; j++)
            multiply_piece(sum[i][j], f.a[i], &f.b[j / 2][j % 2 * 2]);
}

/** A thread's part of a piece of 16 x 8: two rows of two neighbours. */
static __device__ void store_pair(const product &p, int64_t row, int64_t col,
                                  float x, float y)
{
    if (row >= p.M || col >= p.N)
        return;
    float *c = p.C + row * p.ldc + col;
    if (col + 1 < p.N)
        *(float2 *)c = make_float2(x, y);
    else
        *c = x;
}
