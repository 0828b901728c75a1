/**
 * @file tensor_04_async.cu
 * @brief Tensor cores, step 4: asynchronous copies feed a larger tile.
 *
 * C = alpha * A * B + beta * C, row-major: A [M x K], B [K x N], C [M x N] in
 * bfloat16, sums in float32.
 *
 * Change:  cp.async copies tiles into a ring of three stages, and a block of
 *          eight warps has the SM to itself.
 * Reason:  while a tile is multiplied, two others are there or on their way.
 *          The larger tile needs three quarters of the bytes for each product.
 * Run:     make chapter=tensor_04 run
 * Measure: make compare chapter=tensor
 * Limit:   each product reads its operands from registers, so each fragment
 *          must be loaded first.
 */

#include "gemm_bf16.h"

#include "ptx.cuh"

/* ---- parameters --------------------------------------------------------- */

#define BM 128      /**< rows of the tile of C of a block */
#define BK 64       /**< step along K */
#define WM 64       /**< rows of C of a warp */
#define STAGES 3    /**< tiles of A and of B in shared memory */
#define THREADS 256 /**< of a block: warps of WM rows, 2 down and 4 across */

/** Bytes of shared memory of a block with BN columns. */
#define SHARED(BN) (STAGES * (BM + (BN)) * BK * (int)sizeof(bfloat16))

/* ---- kernel ------------------------------------------------------------- */

/**
 * Where an element lies in a tile of rows of COLS elements, a multiple of 64:
 * a row is pieces of 8 elements, 16 bytes, and row % 8 is XORed to their
 * number.
 */
template <int COLS>
static __device__ int place(int row, int col)
{
    return row * COLS + (col / 8 ^ row % 8) * 8;
}

/**
 * Begin to copy a tile into shared memory, all threads together, 8 elements at
 * a time; zeros where it hangs over the edge.
 *
 * @param to         [ROWS x COLS], its pieces at place()
 * @param x,ld       the tile's first element; from row to row
 * @param rows,cols  what the matrix has from there on
 */
// [copy]
template <int ROWS, int COLS>
static __device__ void copy(bfloat16 *to, const bfloat16 *x, int ld, int rows,
                            int cols)
{
    int row = threadIdx.x / (COLS / 8), col = threadIdx.x % (COLS / 8) * 8;
    // A multiple of 8 rows further it is the same piece.
    uint32_t at = shared_address(to + place<COLS>(row, col));
    x += (int64_t)row * ld + col;
#pragma unroll
    for (int i = 0; i < ROWS; i += THREADS / (COLS / 8))
        copy_async(at + i * COLS * 2, x + (int64_t)i * ld,
                   row + i < rows && col < cols ? 16 : 0);
}
// [copy]

/** Load a warp's fragments for 16 of K, from k on. */
template <int BN>
static __device__ void fragments(uint32_t a[WM / 16][4], uint32_t b[BN / 64][4],
                                 uint32_t a_at, uint32_t b_at, int k)
{
    for (int i = 0; i < WM / 16; i++) // 16 rows, 16 of K
        ldmatrix_x4(a[i], (a_at ^ k * 2) + i * 16 * BK * 2);
    for (int j = 0; j < BN / 64; j++) // 16 of K, 16 columns
        ldmatrix_x4_trans(b[j], (b_at ^ j * 32) + k * BN * 2);
}

/**
 * One warp computes WM x BN / 4 elements of C, a block BM x BN.
 *
 * @param M,N,K        sizes, each >= 1
 * @param alpha        factor of A * B
 * @param A,lda        [M x K], rows 16-byte aligned, zeros in the padding
 * @param B,ldb        [K x N], likewise
 * @param beta         factor of C; 0: C is not read
 * @param[in,out] C    [M x N]
 * @param ldc          leading dimension of C
 *
 * Launch: block THREADS, grid (ceil(N / BN), ceil(M / BM)), SHARED(BN) bytes.
 */
template <int BN>
__global__ void __launch_bounds__(THREADS, 1)
    gemm_kernel(int M, int N, int K, float alpha, const bfloat16 *A, int lda,
                const bfloat16 *B, int ldb, float beta, bfloat16 *C, int ldc)
{
    const int WN = BN / 4; // columns of C of a warp
    extern __shared__ __align__(128) bfloat16 shared[];
    bfloat16 *As = shared, *Bs = shared + STAGES * BM * BK;

    int row = blockIdx.y * BM, col = blockIdx.x * BN; // of the tile of C
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / (BN / WN) * WM; // of the warp's part in it
    int x = warp % (BN / WN) * WN;
    A += (int64_t)row * lda;
    B += col;
    float sum[WM / 16][WN / 8][4] = {}; // fragments of 16 x 8 elements

    // This lane's rows of squares for ldmatrix, at k = 0.
    uint32_t a_at =
        shared_address(As + place<BK>(y + lane % 16, lane / 16 * 8));
    uint32_t b_at =
        shared_address(Bs + place<BN>(lane % 16, x + lane / 16 * 8));

    for (int begun = 0; begun < STAGES - 1; begun++) {
        copy<BM, BK>(As + begun * BM * BK, A, lda, M - row, K - begun * BK);
        copy<BK, BN>(Bs + begun * BK * BN, B, ldb, K - begun * BK, N - col);
        copy_commit();
        A += BK;
        B += (int64_t)BK * ldb;
    }
    copy_wait<STAGES - 2>();
    __syncthreads();                             // the first tiles are complete
    uint32_t a[2][WM / 16][4], b[2][WN / 16][4]; // of this k and the next
    fragments<BN>(a[0], b[0], a_at, b_at, 0);

    int now = 0, free = STAGES - 1; // stages: at work, and to be filled
    for (int left = K - free * BK; left > (1 - STAGES) * BK; left -= BK) {
#pragma unroll
        for (int k = 0; k < BK; k += 16) {
            // [begin]
            if (k == 0)
                copy<BM, BK>(As + free * BM * BK, A, lda, M - row, left);
            if (k == 16) {
                copy<BK, BN>(Bs + free * BK * BN, B, ldb, left, N - col);
                copy_commit();
                A += BK;
                B += (int64_t)BK * ldb;
            }
            // [begin]
            // [wait]
            if (k == BK - 16) {
                copy_wait<STAGES - 2>();
                __syncthreads(); // the next tiles are complete, and everyone
                free = now;      // has finished reading these
                now = (now + 1) % STAGES;
            }
            int next = k / 16 + 1;
            fragments<BN>(a[next % 2], b[next % 2], a_at + now * BM * BK * 2,
                          b_at + now * BK * BN * 2, next * 16 % BK);
            // [wait]
            for (int i = 0; i < WM / 16; i++)
                for (int j = 0; j < WN / 8; j++)
                    mma_m16n8k16(sum[i][j], a[k / 16 % 2][i],
                                 &b[k / 16 % 2][j / 2][j % 2 * 2]);
        }
    }

    row += y + lane / 4; // of this lane's first pair of C
    col += x + lane % 4 * 2;
    C += (int64_t)row * ldc + col;
#pragma unroll
    for (int i = 0; i < WM / 16; i++)
        for (int h = 0; h < 2; h++) { // rows 0 to 7, and 8 to 15
            for (int j = 0; j < WN / 8; j++)
                if (row + i * 16 + h * 8 < M)
                    store_pair(C + j * 8, alpha, &sum[i][j][h * 2], beta,
                               N - col - j * 8);
            C += (int64_t)8 * ldc;
        }
}

/* ---- launch ------------------------------------------------------------- */

/** Enqueue one GEMM: a block for each BM x BN elements of C. */
template <int BN>
static void enqueue(const gemm_bf16_problem *p)
{
    dim3 grid(ceil_div(p->N, BN), ceil_div(p->M, BM));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * BM);
    // [ask]
    CUDA_CHECK(cudaFuncSetAttribute(gemm_kernel<BN>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    SHARED(BN)));
    gemm_kernel<BN><<<grid, THREADS, SHARED(BN)>>>(p->M, p->N, p->K, p->alpha,
                                                   p->A, p->lda, p->B, p->ldb,
                                                   p->beta, p->C, p->ldc);
    // [ask]
    CHECK_LAUNCH(gemm_kernel<BN>, grid, THREADS, SHARED(BN));
}

/** Take 256 columns a block, if C and the GPU's shared memory are large enough.
 */
static void launch(const gemm_bf16_problem *p)
{
    // [room]
    int room = 0; // bytes of shared memory that a block may have
    CUDA_CHECK(cudaDeviceGetAttribute(
        &room, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (p->N > 128 && room >= SHARED(256))
        enqueue<256>(p);
    else
        enqueue<128>(p);
    // [room]
}

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    // options, A B C, verify, time beside cuBLAS, report
    return gemm_bf16_main(argc, argv, "tensor_04_async", launch, 80, 0);
}
