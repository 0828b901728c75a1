/**
 * @file tile.cuh
 * @brief A tile of C as the kernel's parameter, and the kernel's parts.
 *
 * The product is turned over: C^T = B^T A^T. The 64 rows of wgmma are columns
 * of C, one panel of B for each warp group; its 8 to 256 columns are rows of C.
 */

#define BK 64             /**< columns of a box along K: 128 bytes */
#define BAND 8            /**< rows of tiles that are worked on together */
#define ROOM (227 * 1024) /**< shared memory that a block may have (bytes) */

/**
 * A tile of C of a block: BM rows, 64 columns for each warp group.
 *
 * DEEP   boxes along K of a stage
 * SPLIT  blocks, a cluster, that share the steps along K
 * STAYS  blocks compute one tile after the other, as in tensor_10, two of them,
 *        a cluster, side by side: they share A
 */
// [tile]
template <int BM_, int GROUPS_, int DEEP_, int SPLIT_, bool STAYS_>
struct tile {
    static const int BM = BM_, GROUPS = GROUPS_, BN = GROUPS * 64;
    static const int DEEP = DEEP_, SPLIT = SPLIT_, SHARE = STAYS_ ? 2 : 1;
    static const bool STAYS = STAYS_;

    // More registers than a thread has at first are given by a whole group.
    static const int BRINGS = BM < 192 ? 32 : 128; // threads
    static const int THREADS = GROUPS * 128 + BRINGS;
    static const int ROWS = BM / SPLIT; // of C that a block stores
    // Rows of a part of them; an even number of parts, for two places.
    static const int HIGH = STAYS ? BM / 4 : ROWS % 64 == 0 ? 64 : ROWS;
    static const int PARTS = ROWS / HIGH, PART = HIGH * 128;       // (bytes)
    static const int BOX = (BM + BN) * BK * 2, STAGE = DEEP * BOX; // (bytes)
    // C leaves from the ring, if no more tiles come, else from two places.
    static const int PLACES = STAYS ? 2 : PARTS;
    static const int OUT = STAYS ? GROUPS * PLACES * PART : 0; // (bytes)
    static const int FIT = (ROOM - 1024 - OUT) / STAGE;
    static const int STAGES = FIT < 16 ? FIT : 16; // as many as there is room
    static const int SHARED = STAGES * (STAGE + 16) + OUT; // (bytes)
    static_assert(BM % (8 * SPLIT) == 0, "no such tile");
};
// [tile]

/** The ring of stages, and where a thread is in it. */
typedef struct {
    uint32_t tiles, full, empty; /**< full: has come; empty: may be filled */
    int stage, parity;           /**< parity: of the phases of its barriers */
} ring;

/** Go on to the next stage; behind the last one a new round begins. */
template <class T>
static __device__ void go_on(ring *r)
{
    r->stage = r->stage + 1 == T::STAGES ? 0 : r->stage + 1;
    r->parity ^= r->stage == 0;
}

/** Where a tile begins: that of this block, or, if blocks stay, number t of a
 * cluster, down a band and then rightwards. */
template <class T>
static __device__ void place_tile(int t, int M, int N, int *row, int *col)
{
    if (!T::STAYS) { // no division: it would take 2 % of the time at 512
        *row = blockIdx.y * T::BM;
        *col = blockIdx.x / T::SPLIT * T::BN;
        return;
    }
    int down = ceil_div(M, T::BM), across = ceil_div(N, T::SHARE * T::BN);
    int band = t / (BAND * across), in_band = t % (BAND * across);
    int height = min(BAND, down - band * BAND); // of the last one: less
    *row = (band * BAND + in_band % height) * T::BM;
    *col = in_band / height * T::SHARE * T::BN;
    *col += blockIdx.x % T::SHARE * T::BN;
}

/** One thread: have the boxes of a step come into a stage, B for this block,
 * and its share of A for all that share it. */
template <class T>
static __device__ void bring(const ring *r, const CUtensorMap *A,
                             const CUtensorMap *B, int row, int col, int k)
{
    const int share = T::BM / T::SHARE; // rows
    int rank = blockIdx.x % T::SHARE;

    uint32_t at = r->tiles + r->stage * T::STAGE, full = r->full + r->stage * 8;
    mbarrier_wait(r->empty + r->stage * 8, r->parity ^ 1);
    mbarrier_expect(full, T::STAGE);
    for (int i = 0; i < T::DEEP; i++, at += T::BOX, k += BK) {
        if (T::SHARE == 1)
            tensor_load(at, A, k, row, full);
        else
            tensor_load_to((1 << T::SHARE) - 1, at + rank * share * 128, A, k,
                           row + rank * share, full);
        for (int j = 0; j < T::BN; j += 64) // panels of 64 columns
            tensor_load(at + (T::BM + j) * 128, B, col + j, k, full);
    }
}

/** A warp group has multiplied the stage before. */
template <class T>
static __device__ void give_back(const ring *r)
{
    int before = r->stage == 0 ? T::STAGES - 1 : r->stage - 1;
    int thread = threadIdx.x % 128;
    if (T::SHARE == 1 && thread == 0)
        mbarrier_arrive(r->empty + before * 8);
    if (T::SHARE > 1 && thread < T::SHARE) // a thread for each block
        mbarrier_arrive_at(r->empty + before * 8, thread);
}

/** It begins step i of a tile, and gives back the stage of the one before. */
template <class T>
static __device__ __forceinline__ void step(float sum[T::BM / 8][4], ring *r,
                                            int group, int i)
{
    uint32_t rows = r->tiles + r->stage * T::STAGE;       // of A
    uint32_t columns = rows + (T::BM + group * 64) * 128; // of B: its panel
    mbarrier_wait(r->full + r->stage * 8, r->parity);
    wgmma_fence();
    // [turned]
#pragma unroll
    for (int k = 0; k < T::DEEP * BK; k += 16) {
        int box = k / BK * T::BOX, in = k % BK;
        wgmma_turned<T::BM>(sum, wgmma_descriptor(columns + box + in * 128, 0),
                            wgmma_descriptor(rows + box + in * 2, 0),
                            i + k > 0);
    }
    // [turned]
    wgmma_commit();
    if (i > 0) {
        wgmma_wait<1>();
        give_back<T>(r);
    }
    go_on<T>(r);
}

/** Blocks have summed up over parts of K: each adds up its share of the rows.
 * The ring is idle, and has room for the sums. */
// [meet]
template <class T>
static __device__ __forceinline__ void meet(float sum[T::BM / 8][4],
                                            void *shared, int group, int rank)
{
    float4 *own =
        (float4 *)shared + group * T::BM / 8 * 128 + threadIdx.x % 128;
#pragma unroll
    for (int j = 0; j < T::BM / 8; j++)
        own[j * 128] = make_float4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
    cluster_sync(); // all sums are there
#pragma unroll
    for (int j = 0; j < T::ROWS / 8; j++) {
        float4 all = {};
        for (int block = 0; block < T::SPLIT; block++) { // in the order of K
            const float4 *there =
                cooperative_groups::this_cluster().map_shared_rank(own, block);
            float4 x = there[(rank * T::ROWS / 8 + j) * 128];
            all.x += x.x, all.y += x.y, all.z += x.z, all.w += x.w;
        }
        sum[j][0] = all.x, sum[j][1] = all.y;
        sum[j][2] = all.z, sum[j][3] = all.w;
    }
    cluster_sync(); // all have read them
}
// [meet]

/** Round C = alpha * sum + beta * C of the tile at (row, col). A pair lies one
 * below the other, so lanes read 2 bytes each, if beta is not 0. */
template <class T>
static __device__ __forceinline__ void hold(uint32_t held[T::ROWS / 4],
                                            float sum[T::BM / 8][4], int row,
                                            int col, const gemm_bf16_problem &p)
{
    float alpha = p.alpha;
    if (p.beta != 0.0f) {
        int thread = threadIdx.x % 128;
        row += thread % 4 * 2; // of this lane's first sum
        col += thread / 32 * 16 + thread % 32 / 4;
        const bfloat16 *c = p.C + (int64_t)row * p.ldc + col;
#pragma unroll
        for (int i = 0; i < T::ROWS / 2; i++) {
            int y = i / 4 * 8 + i % 2, x = i / 2 % 2 * 8;
            float old = 0.0f;
            if (y < p.M - row && x < p.N - col)
                old = __bfloat162float(c[(int64_t)y * p.ldc + x]);
            sum[i / 4][i % 4] = alpha * sum[i / 4][i % 4] + p.beta * old;
        }
        alpha = 1.0f;
    }
#pragma unroll
    for (int i = 0; i < T::ROWS / 4; i++) {
        const float *x = &sum[i / 2][i % 2 * 2];
        __nv_bfloat162 pair = __floats2bfloat162_rn(alpha * x[0], alpha * x[1]);
        held[i] = *(const uint32_t *)&pair;
    }
}

/** A warp group stores part i of its columns of a tile, which begin at (row,
 * col): into shared memory, turned back, and from there by the copy engine. */
template <class T>
static __device__ __forceinline__ void
put(const uint32_t held[T::ROWS / 4], int i, uint32_t out, int group, int row,
    int col, const gemm_bf16_problem &p, const CUtensorMap *C)
{
    int thread = threadIdx.x % 128, lane = thread % 32;
    uint32_t place = out + (group * T::PLACES + i % T::PLACES) * T::PART;
    if (T::STAYS) {
        if (thread == 0)
            store_wait_read<T::PLACES - 1>();
        barrier_sync(1 + group, 128); // the place is free
    }
    // This lane's row of 8 x 8 elements, 8 columns of C, 16 bytes.
    uint32_t to = place + (lane / 16 * 8 + lane % 8) * 128 +
                  (thread / 32 * 2 + lane / 8 % 2 ^ lane % 8) * 16;
    held += i * T::HIGH / 4;
#pragma unroll
    for (int y = 0; y + 16 <= T::HIGH; y += 16)
        stmatrix_x4_trans(to + y * 128, held + y / 4);
    if (T::HIGH % 16 != 0) // 8 rows more
        stmatrix_x2_trans(to + (T::HIGH - 8) * 128, held + (T::HIGH - 8) / 4);
    fence_proxy_async();          // the copy engine sees what they have stored
    barrier_sync(1 + group, 128); // and all have
    row += i * T::HIGH;
    bool whole = p.N % 8 == 0 || col + 64 <= p.N;
    if (whole && thread == 0)
        tensor_store(C, place, col, row);
    store_commit(); // of other threads, and below, an empty group
    if (whole)
        return;
    for (int y = thread / 64; y < min(T::HIGH, p.M - row); y += 2) {
        int x = thread % 64; // the engine would store 16 bytes or none
        if (col + x < p.N)
            p.C[(int64_t)(row + y) * p.ldc + col + x] =
                *(const bfloat16 *)__cvta_shared_to_generic(
                    place + y * 128 + (x / 8 ^ y % 8) * 16 + x % 8 * 2);
    }
}
