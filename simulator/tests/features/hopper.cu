#include "cases.h"
#include "ptx.h"
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

/** Compare @p n results of the device with those of a function. */
template <class T, class Function>
static void check_all(const T *device, int n, Function want)
{
    T *got = new T[n];
    CHECK_CUDA(cudaMemcpy(got, device, n * sizeof(T), cudaMemcpyDefault));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += got[i] != want(i);
    CHECK_EQUAL(wrong, 0);
    delete[] got;
}

// feature: wgmma m64n8k16: half, bfloat16; a in registers, too; b by rows and
// by columns, all swizzles; boxes of a matrix by TMA: `cuTensorMapEncodeTiled`,
// mbarriers
// counted only: inline PTX needs clang

__device__ void product(float d[4], uint64_t a, uint64_t b, int more,
                        __nv_bfloat16, bool by_rows)
{
    if (by_rows)
        WGMMA("bf16.bf16", d, a, b, more, "1");
    else
        WGMMA("bf16.bf16", d, a, b, more, "0");
}

__device__ void product(float d[4], uint64_t a, uint64_t b, int more, half,
                        bool)
{
    WGMMA("f16.f16", d, a, b, more, "0");
}

/** A byte's place among rows of 16 << width bytes, turned in groups of eight.
 */
__host__ __device__ int turned(int byte, int width)
{
    return byte ^ (byte >> 7 & ((1 << width) - 1)) << 4;
}

/** Byte of element (slow, fast) of an operand; width 0: eight rows of 16 bytes,
 *  one after the other. */
__device__ int place(int slow, int fast, int width)
{
    int bytes = 16 << width, at = fast * 2;
    return turned(slow / 8 * 1024 + slow % 8 * bytes + at % bytes +
                      at / bytes * 512,
                  width);
}

__host__ __device__ float number(int row, int col)
{
    return (row * 5 + col * 3) % 17 - 8;
}

/** The same with a warp's 16 x 16 elements of A in registers, as mma has them.
 */
__device__ void product_held(float d[4], uint64_t b, int more)
{
    uint32_t a[4];
    for (int i = 0; i < 4; i++) {
        int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i % 2 * 8;
        int col = threadIdx.x % 4 * 2 + i / 2 * 8;
        __nv_bfloat162 two =
            __floats2bfloat162_rn(number(row, col), number(row, col + 1));
        a[i] = *(uint32_t *)&two;
    }
    asm volatile("{ .reg .pred more; setp.ne.b32 more, %9, 0; "
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, more, 1, 1, 1; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),
                   "r"(more));
}

/** sum = A B, then += A B. */
template <class T>
__global__ void multiply(int width, bool by_rows, bool held, float *sum)
{
    __shared__ __align__(1024) char A[8192], B[2048];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    for (int i = t; i < 64 * 16; i += 128)
        *(T *)&A[place(i / 16, i % 16, width)] = number(i / 16, i % 16);
    for (int i = t; i < 16 * 8; i += 128) {
        int k = i / 8, n = i % 8;
        *(T *)&B[by_rows ? place(k, n, width) : place(n, k, width)] =
            number(k + 100, n);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint64_t how = (uint64_t)(width ? 4 - width : 0) << 62 |
                   (uint64_t)(1024 / 16) << 32 | (uint64_t)(512 / 16) << 16;
    float d[4] = {1e6f, 1e6f, 1e6f, 1e6f};
    WGMMA_FENCE;
    for (int more = 0; more < 2; more++)
        if (held)
            product_held(d, how | shared(B) >> 4, more);
        else
            product(d, how | shared(A) >> 4, how | shared(B) >> 4, more, T(),
                    by_rows);
    WGMMA_COMMIT;
    WGMMA_WAIT;
    for (int i = 0; i < 4; i++)
        sum[(warp * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] =
            d[i];
}

template <class T>
static void check_product(int width, bool by_rows, bool held = false)
{
    float *sum = room<float>(64 * 8);
    multiply<T><<<1, 128>>>(width, by_rows, held, sum);
    check_all(sum, 64 * 8, [](int i) {
        float x = 0;
        for (int k = 0; k < 16; k++)
            x += number(i / 8, k) * number(k + 100, i % 8);
        return 2 * x;
    });
}

enum { ROWS = 20, PITCH = 40, COLS = 37, BOX_ROWS = 16, BOX_COLS = 16 };

/** Copy the box at (row, col). */
__global__ void get(const __grid_constant__ CUtensorMap map, int row, int col,
                    int swizzle, uint16_t *out)
{
    __shared__ __align__(1024) uint16_t box[BOX_ROWS * BOX_COLS];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&barrier, 1);
        FENCE_MBARRIER_INIT;
        ARRIVE_EXPECT(&barrier, sizeof box);
        LOAD_BOX(box, &map, row, col, &barrier);
    }
    __syncthreads();
    WAIT(&barrier, 0);
    out[threadIdx.x] = box[turned(threadIdx.x * 2, swizzle) / 2];
}

CASE(wgmma)
{
    for (int width = 0; width < 4; width++) {
        check_product<__nv_bfloat16>(width, false);
        check_product<half>(width, false);
        if (width > 0) {
            check_product<__nv_bfloat16>(width, true);
            check_product<__nv_bfloat16>(width, true, true);
        }
    }
    uint16_t *x = shared_zeros<uint16_t>(ROWS * PITCH);
    uint16_t *got = room<uint16_t>(BOX_ROWS * BOX_COLS);
    for (int i = 0; i < ROWS * PITCH; i++)
        x[i] = i + 1;
    for (int swizzle = 0; swizzle < 2; swizzle++)
        for (int row : {0, 4, 10, -3})
            for (int col : {0, 8, 30, -5}) {
                get<<<1, BOX_ROWS * BOX_COLS>>>(map_of(x, ROWS, COLS, PITCH * 2,
                                                       BOX_ROWS, BOX_COLS,
                                                       swizzle),
                                                row, col, swizzle, got);
                check_all(got, BOX_ROWS * BOX_COLS, [=](int i) {
                    int m = row + i / BOX_COLS, n = col + i % BOX_COLS;
                    bool in = m >= 0 && m < ROWS && n >= 0 && n < COLS;
                    return in ? x[m * PITCH + n] : 0;
                });
            }
    CUtensorMap map; // of rows that do not begin at 16 bytes
    CHECK(tensor_map(&map, x, ROWS, COLS, PITCH * 2 + 2, BOX_ROWS, BOX_COLS) !=
          CUDA_SUCCESS);
}

// feature: boxes from shared memory by TMA: `cp.async.bulk.tensor` stores,
// swizzled, cut at the edge as by an H200; commit_group, wait_group;
// elect.sync
// counted only: inline PTX needs clang

enum { WIDE = 2 * BOX_COLS };

__device__ bool elected()
{
    unsigned chosen;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; "
                 "selp.b32 %0, 1, 0, p; }"
                 : "=r"(chosen));
    return chosen;
}

/** Fill a box and store it at (row, col). */
__global__ void put(const __grid_constant__ CUtensorMap map, int row, int col,
                    int swizzle)
{
    __shared__ __align__(1024) uint16_t box[BOX_ROWS * WIDE];
    int i = threadIdx.x;
    box[turned(i * 2, swizzle) / 2] = (uint16_t)(1 + i);
    FENCE_ASYNC;
    __syncthreads(); // the box is full
    if (i < 32 && elected()) {
        STORE_BOX(&map, row, col, box);
        WAIT_READ;
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

CASE(tensor_stores)
{
    uint16_t *x = room<uint16_t>(ROWS * PITCH);
    for (int swizzle : {0, 2})
        for (int row : {0, 10, -3})
            for (int col : {0, 16, -8, 40}) {
                CHECK_CUDA(cudaMemset(x, 0, ROWS * PITCH * sizeof *x));
                put<<<1, BOX_ROWS * WIDE>>>(
                    map_of(x, ROWS, COLS, PITCH * 2, BOX_ROWS, WIDE, swizzle),
                    row, col, swizzle);
                check_all(x, ROWS * PITCH, [=](int i) {
                    int m = i / PITCH - row, n = i % PITCH - col;
                    // pieces of 16 bytes that begin in the matrix are whole
                    bool in = m >= 0 && m < BOX_ROWS && n >= 0 && n < WIDE;
                    return in ? 1 + m * WIDE + n : 0;
                });
            }
}

// feature: boxes of three and four dimensions by TMA, to shared memory and back
// counted only: inline PTX needs clang

/** D: as "4d"; LOAD_AT, STORE_AT: where the box begins, x first. */
#define MOVE(D, LOAD_AT, STORE_AT)                                             \
    asm volatile("cp.async.bulk.tensor." D ".shared::cluster.global.mbarrier"  \
                 "::complete_tx::bytes [%0], [%1, {" LOAD_AT                   \
                 "}], [%2];" ::"r"(shared(box)),                               \
                 "l"(&from), "r"(shared(&barrier))                             \
                 : "memory");                                                  \
    WAIT(&barrier, 0);                                                         \
    asm volatile("cp.async.bulk.tensor." D ".global.shared::cta.bulk_group "   \
                 "[%0, {" STORE_AT "}], [%1]; cp.async.bulk.commit_group; "    \
                 "cp.async.bulk.wait_group 0;" ::"l"(&to),                     \
                 "r"(shared(box))                                              \
                 : "memory")

/** One thread copies a box from one array to another. */
template <int RANK>
__global__ void move_box(const __grid_constant__ CUtensorMap from,
                         const __grid_constant__ CUtensorMap to)
{
    __shared__ __align__(128) uint16_t box[2 * 3 * 4 * 8];
    __shared__ uint64_t barrier;
    MBARRIER_INIT(&barrier, 1);
    FENCE_MBARRIER_INIT;
    ARRIVE_EXPECT(&barrier, RANK == 3 ? sizeof box / 2 : sizeof box);
    if (RANK == 3) {
        MOVE("3d", "8, 3, 1", "0, 2, 6");
    } else {
        MOVE("4d", "8, 3, 1, 0", "0, 2, 2, 0");
    }
}

/** [2][4][6][16], or [8][6][16], in boxes of [2][3][4][8], or [3][4][8]. */
static CUtensorMap array_of(uint16_t *x, int rank)
{
    CUtensorMap map;
    cuuint64_t size[] = {16, 6, rank == 3 ? 8u : 4u, 2};
    cuuint64_t pitches[] = {16 * 2, 6 * 16 * 2, 4 * 6 * 16 * 2};
    cuuint32_t box[] = {8, 4, 3, 2};
    CHECK(array_map(&map, x, rank, size, pitches, box, 0) == CUDA_SUCCESS);
    return map;
}

CASE(tensor_ranks)
{
    const int count = 2 * 4 * 6 * 16;
    uint16_t *x = shared_zeros<uint16_t>(count), *y = room<uint16_t>(count);
    for (int i = 0; i < count; i++)
        x[i] = (uint16_t)(1 + i);
    for (int rank : {3, 4}) {
        CHECK_CUDA(cudaMemset(y, 0, count * sizeof *y));
        (rank == 3 ? move_box<3> : move_box<4>)<<<1, 1>>>(array_of(x, rank),
                                                          array_of(y, rank));
        check_all(y, count, [=](int i) {
            int b = rank == 3 ? 0 : i / 384, h = (i - b * 384) / 96;
            int s = i / 16 % 6, d = i % 16, first = rank == 3 ? 6 : 2;
            if (d >= 8 || s < 2 || h < first || s + 1 == 6) // beyond an edge
                return 0;
            return 1 + b * 384 + (h - first + 1) * 96 + (s + 1) * 16 + d + 8;
        });
    }
}

// feature: clusters of blocks: cudaLaunchKernelEx, `this_cluster()`, shared
// memory of other blocks
// counted only: nothing else knows where shared arrays lie

enum { THREADS = 64, BLOCKS = 24 };

/** A launch of clusters. */
template <class... P, class... A>
void launch(dim3 grid, dim3 block, dim3 cluster, void (*kernel)(P...),
            A... arguments)
{
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {cluster.x, cluster.y, cluster.z};
    cudaLaunchConfig_t config = {grid, block};
    config.attrs = &shape;
    config.numAttrs = 1;
    CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
    int most, blocks = cluster.x * cluster.y;
    config.blockDim = 1024;
    CHECK_CUDA(cudaOccupancyMaxActiveClusters(&most, kernel, &config));
    CHECK_EQUAL(most, 132 / blocks * 2);
}

/** Each thread adds what all blocks of its cluster have, then what its
 *  neighbour has left it. */
__global__ void sums(int *out)
{
    __shared__ int own[THREADS], left[THREADS];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, sum = 0, block = blockIdx.y * gridDim.x + blockIdx.x;
    own[t] = block * THREADS + t;
    cluster.sync();
    int next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int *there = cluster.map_shared_rank(left, next);
    CHECK_EQUAL((int)cluster.query_shared_rank(there), next);
    for (unsigned r = 0; r < cluster.num_blocks(); r++)
        sum += cluster.map_shared_rank(own, r)[t];
    there[t] = sum;
    cluster.sync();
    out[block * THREADS + t] = left[t];
}

CASE(clusters)
{
    int *got = room<int>(BLOCKS * THREADS);
    // of 6 x 4 blocks, by shapes of clusters
    for (dim3 shape : {dim3(1), dim3(2), dim3(3, 2), dim3(2, 4)}) {
        launch(dim3(6, 4), THREADS, shape, sums, got);
        check_all(got, BLOCKS * THREADS, [=](int i) {
            int x = i / THREADS % 6, y = i / THREADS / 6, sum = 0;
            for (int v = 0; v < (int)shape.y; v++)
                for (int u = 0; u < (int)shape.x; u++)
                    sum += (y / (int)shape.y * (int)shape.y + v) * 6 +
                           x / (int)shape.x * (int)shape.x + u;
            int blocks = shape.x * shape.y;
            return sum * THREADS + blocks * (i % THREADS);
        });
    }
}

// feature: TMA to several blocks of a cluster: `.multicast::cluster`
// counted only: inline PTX needs clang

enum { PIECE = 64, TURNS = 6 };

/** Each block of a pair brings half of a line for both, through two slots. */
__global__ void pairs(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ __align__(128) uint16_t slot[2][2 * PIECE];
    __shared__ uint64_t full[2], empty[2];
    unsigned rank = cg::this_cluster().block_rank();
    int sum = 0;
    if (threadIdx.x < 2) {
        MBARRIER_INIT(&full[threadIdx.x], 1);
        MBARRIER_INIT(&empty[threadIdx.x], 2);
        FENCE_MBARRIER_INIT;
    }
    cg::this_cluster().sync();
    for (int i = 0; i < TURNS; i++) {
        int s = i % 2;
        if (threadIdx.x == 0) {
            WAIT(&empty[s], i / 2 % 2 ^ 1);
            ARRIVE_EXPECT(&full[s], 2 * PIECE * 2);
            LOAD_BOX_FOR(3, &slot[s][rank * PIECE], &map, i, (int)rank * PIECE,
                         &full[s]);
        }
        WAIT(&full[s], i / 2 % 2);
        sum += slot[s][threadIdx.x] * (i + 1);
        __syncthreads(); // all have read the slot
        if (threadIdx.x < 2)
            ARRIVE_AT(&empty[s], threadIdx.x);
    }
    cg::this_cluster().sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

CASE(multicast)
{
    const int cols = 2 * PIECE;
    uint16_t *x = shared_zeros<uint16_t>(TURNS * cols);
    int *got = room<int>(4 * cols);
    for (int i = 0; i < TURNS * cols; i++)
        x[i] = i;
    launch(4, cols, 2, pairs, map_of(x, TURNS, cols, 2 * cols, 1, PIECE), got);
    check_all(got, 4 * cols, [=](int i) {
        int sum = 0;
        for (int k = 0; k < TURNS; k++)
            sum += x[k * cols + i % cols] * (k + 1);
        return sum;
    });
}

// feature: `__cluster_dims__`; in PTX `%cluster_ctarank`, mapa,
// barrier.cluster, arrivals at another block's mbarrier, bar.sync of some warps
// counted only: inline PTX needs clang

/** Each block hands its rank on, by a barrier of the next one. */
__global__ void __cluster_dims__(4, 1, 1) around(int *out)
{
    __shared__ uint64_t barrier;
    unsigned rank, blocks;
    asm volatile("mov.u32 %0, %%cluster_ctarank; "
                 "mov.u32 %1, %%cluster_nctarank;"
                 : "=r"(rank), "=r"(blocks));
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&barrier, 1);
        FENCE_MBARRIER_INIT;
    }
    asm volatile("barrier.cluster.arrive.release.aligned; "
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (threadIdx.x == 0) {
        if (rank > 0)
            WAIT(&barrier, 0);
        out[blockIdx.x] = rank == 0 ? 1 : 2 * out[blockIdx.x - 1];
        __threadfence();
        ARRIVE_AT(&barrier, (rank + 1) % blocks);
    }
    if (threadIdx.x >= 32) // a barrier of the other two warps
        asm volatile("bar.sync %0, 64;" ::"r"(1) : "memory");
    cg::this_cluster().sync();
}

CASE(cluster_ptx)
{
    int *got = room<int>(8);
    around<<<8, 96>>>(got);
    check_all(got, 8, [](int i) { return 1 << i % 4; });
}
