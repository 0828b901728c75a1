/**
 * @file 8_mma_swizzled.cuh
 * @brief The tensor core's own instructions, tiles without padding or
 * conflicts, copies that run ahead.
 *
 * Change: ldmatrix and mma.sync instead of wmma; pieces of 16 bytes change
 *         places inside a row; STAGES tiles are under way at a time (cp.async).
 * Reason: a stage is exactly its tiles, so that more stages fit; and while
 *         tensor cores multiply, the next tiles come.
 * Limit:  mma.sync reaches about 0.6 of what the tensor cores of sm_90 can do;
 *         the rest needs wgmma, which reads its tiles from shared memory by
 *         itself.
 */
#include <cuda_pipeline_primitives.h>

#ifndef DEPTH
#define DEPTH 64 /**< columns of A in a tile: 32 or 64 */
#endif
#ifndef STAGES
#define STAGES 3 /**< tiles of A and of B in shared memory */
#endif
#define A_PIECES (DEPTH / HALVES) /**< of 16 bytes in a row of A's tile */
#define B_PIECES (BN / HALVES)    /**< in a row of B's */
#define STAGE_HALVES ((BM + BN) * DEPTH)
#define STAGE_BYTES (STAGES * STAGE_HALVES * (int)sizeof(__half))

#if SIMULATED && !defined(__clang__)
#define WITHOUT_PTX // clang is what reads it there
#elif !SIMULATED && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800)
#define WITHOUT_PTX // the host's side, and older GPUs
#endif

#ifndef WITHOUT_PTX

/**
 * Where piece @p piece of a row of A's tile lies (halves). 8 pieces are 32
 * banks, so a row of 4 is half of them: two rows share an order.
 */
// [swizzle]
static __device__ int in_a(int row, int piece)
{
    int order = row / (8 / A_PIECES) % A_PIECES;
    return (row * A_PIECES + (piece ^ order)) * HALVES;
}

/** The same for B's tile, whose rows are a multiple of 32 banks. */
static __device__ int in_b(int k, int piece)
{
    return (k * B_PIECES + (piece ^ k % 8)) * HALVES;
}
// [swizzle]

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
static __device__ void multiply(float sum[4], const unsigned a[4],
                                const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),
                   "r"(b[1]));
}
// [ldmatrix]

/** Ask for the tiles of A and B from column, or row, @p k_0 on. */
static __device__ void copy_tiles(const product &p, int64_t tile_row,
                                  int64_t tile_col, int k_0, __half *As)
{
    __half *Bs = As + BM * DEPTH;
    for (int i = threadIdx.x; i < BM * A_PIECES; i += MULTIPLIERS) {
        int row = i / A_PIECES, piece = i % A_PIECES;
        int k = k_0 + piece * HALVES;
        bool there = tile_row + row < p.M && k < p.K;
        const __half *from = there ? p.A + (tile_row + row) * p.lda + k : p.A;
        __pipeline_memcpy_async(As + in_a(row, piece), from, 16,
                                there ? 0 : 16); // bytes that become 0
    }
    for (int i = threadIdx.x; i < DEPTH * B_PIECES; i += MULTIPLIERS) {
        int k = i / B_PIECES, piece = i % B_PIECES;
        int64_t col = tile_col + piece * HALVES;
        bool there = k_0 + k < p.K && col < p.N;
        const __half *from = there ? p.B + (k_0 + k) * p.ldb + col : p.B;
        __pipeline_memcpy_async(Bs + in_b(k, piece), from, 16, there ? 0 : 16);
    }
}

/** What a warp needs for 16 columns of A: 64 rows of A, 64 columns of B. */
typedef struct {
    unsigned a[PIECES][4]; /**< 16 x 16 each */
    unsigned b[PIECES][4]; /**< 16 x 16 each: two of 16 x 8 */
} fragments;

/** Fragments of columns [k, k + 16) of A's tile. */
static __device__ void load_fragments(fragments *f, const __half *As,
                                      int warp_row, int warp_col, int k)
{
    const __half *Bs = As + BM * DEPTH;
    int lane = threadIdx.x % 32;
    int row = lane % 16, half = lane / 16; // 16 rows, then the next 8 columns
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        load_four(f->a[i],
                  As + in_a(warp_row + i * PIECE + row, k / HALVES + half));
        load_four_transposed(
            f->b[i],
            Bs + in_b(k + row, (warp_col + i * PIECE) / HALVES + half));
    }
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

/**
 * A block computes BM x BN elements of C.
 *
 * Launch: block MULTIPLIERS, grid product_grid(), shared memory STAGE_BYTES.
 */
// [mma_swizzled]
__global__ void __launch_bounds__(MULTIPLIERS, 1) swizzled_mma_kernel(product p)
{
    extern __shared__ __align__(128) __half stages[];
    int64_t tile_row = (int64_t)blockIdx.y * BM;
    int64_t tile_col = (int64_t)blockIdx.x * BN;
    int warp = threadIdx.x / 32;
    int warp_row = warp / 4 * WARP_SIDE;
    int warp_col = warp % 4 * WARP_SIDE;
    float sum[PIECES][2 * PIECES][4] = {};
    for (int s = 0; s < STAGES - 1; s++) {
        if (s * DEPTH < p.K)
            copy_tiles(p, tile_row, tile_col, s * DEPTH,
                       stages + s * STAGE_HALVES);
        __pipeline_commit();
    }
    int now = 0, next = STAGES - 1; // stages: read, and filled
    for (int k_0 = 0; k_0 < p.K; k_0 += DEPTH) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // everyone's copies are there; all have read `next`
        int k_next = k_0 + (STAGES - 1) * DEPTH;
        if (k_next < p.K)
            copy_tiles(p, tile_row, tile_col, k_next,
                       stages + next * STAGE_HALVES);
        __pipeline_commit();
        const __half *As = stages + now * STAGE_HALVES;
        fragments f[2];
        load_fragments(&f[0], As, warp_row, warp_col, 0);
#pragma unroll
        for (int k = 0; k < DEPTH / PIECE; k++) {
            if (k + 1 < DEPTH / PIECE)
                load_fragments(&f[(k + 1) % 2], As, warp_row, warp_col,
                               (k + 1) * PIECE);
#pragma unroll
            for (int i = 0; i < PIECES; i++)
#pragma unroll
                for (int j = 0; j < 2 * PIECES; j++)
                    multiply(sum[i][j], f[k % 2].a[i],
                             &f[k % 2].b[j / 2][j % 2 * 2]);
        }
        now = (now + 1) % STAGES;
        next = (next + 1) % STAGES;
    }
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < PIECES; i++)
#pragma unroll
        for (int j = 0; j < 2 * PIECES; j++) {
            int64_t row = tile_row + warp_row + i * PIECE + lane / 4;
            int64_t col = tile_col + warp_col + j * 8 + lane % 4 * 2;
            store_pair(p, row, col, sum[i][j][0], sum[i][j][1]);
            store_pair(p, row + 8, col, sum[i][j][2], sum[i][j][3]);
        }
}
// [mma_swizzled]

#else

/** For a GPU without these instructions: never launched, see mma_open(). */
__global__ void __launch_bounds__(MULTIPLIERS, 1) swizzled_mma_kernel(product)
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
static const char *mma_open(void)
{
#if SIMULATED && !defined(__clang__)
    return "inline PTX needs clang in the simulator";
#endif
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 8)
        return "mma.sync m16n8k16 needs sm_80";
    if (device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) < STAGE_BYTES)
        return "an SM has too little shared memory for the stages";
    return NULL;
}

static void mma_swizzled(const void *problem)
{
    product p = *(const product *)problem;
    dim3 grid = product_grid(&p);
    CUDA_CHECK(cudaFuncSetAttribute(swizzled_mma_kernel,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    STAGE_BYTES));
    swizzled_mma_kernel<<<grid, MULTIPLIERS, STAGE_BYTES>>>(p);
    CHECK_LAUNCH(swizzled_mma_kernel, grid, MULTIPLIERS, STAGE_BYTES);
}
