/**
 * @file ptx.cuh
 * @brief Instructions of the tensor-core chapters that CUDA C++ has no word
 * for.
 *
 * A function an instruction, which the PTX ISA describes under the name that it
 * has here. Addresses in shared memory are numbers of 32 bits, as these
 * instructions want them: shared_address() makes them of pointers.
 */
#ifndef PTX_CUH
#define PTX_CUH

#include <cuda.h>
#include <cuda_bf16.h>
#include <stdint.h>

/** Where a pointer into shared memory points (bytes). */
static __device__ inline uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---- 8.0: a warp -----------------------------------------------------------
 */

/**
 * Four matrices of 8 x 8, a word of each per lane: lane l gets elements 2 * (l
 * % 4) and the next of row l / 4. The addresses of their rows, of 16 bytes
 * each, come from 8 lanes for each matrix. PTX ISA: ldmatrix.
 */
static __device__ inline void ldmatrix_x4(uint32_t to[4], uint32_t row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, "
                 "[%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

/** The same, each matrix transposed: rows in memory are columns for lanes. */
static __device__ inline void ldmatrix_x4_trans(uint32_t to[4], uint32_t row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, "
                 "%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

/** sum += a * b, 16 x 8 x 16, by a warp. PTX ISA: mma. */
static __device__ inline void mma_m16n8k16(float sum[4], const uint32_t a[4],
                                           const uint32_t b[2])
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/** Two neighbours as a register holds them, rounded to bfloat16. */
static __device__ inline uint32_t pair_bf16(float low, float high)
{
    __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
    return *(const uint32_t *)&two;
}

/** 2^x, exact to 2^-22; tiny numbers are 0 (.ftz). PTX ISA: ex2. */
static __device__ inline float power_of_2(float x)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

/** Begin to copy 16 bytes: `bytes` of them, then zeros. PTX ISA: cp.async.
 */
static __device__ inline void copy_async(uint32_t to, const void *from,
                                         int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(from), "r"(bytes)
                 : "memory");
}

/** What this thread has begun to copy since the last commit is a group. */
static __device__ inline void copy_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/** Wait until at most the last `LEFT` groups of this thread are under way. */
template <int LEFT>
static __device__ inline void copy_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

/* ---- 9.0: wgmma, a product by a warp group ----------------------------------
 */

/**
 * What wgmma knows of a matrix in shared memory: rows of 128 bytes, swizzled, 8
 * of them after 1024 bytes. PTX ISA: Matrix Descriptor.
 *
 * @param at       address, a multiple of 16 bytes in a panel that begins at a
 *                 multiple of 1024. In a cluster addresses have the rank of
 *                 their block above bit 24: no part of the descriptor.
 * @param columns  bytes from 64 columns to the next 64, where columns lie side
 *                 by side (B); without meaning where k does (A)
 */
static __device__ inline uint64_t wgmma_descriptor(uint32_t at, int columns)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)(columns >> 4) << 16 | (at & 0x3ffff) >> 4;
}

/** Before the first wgmma, and after others have touched its sums.
 */
static __device__ inline void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

#define SUMS4(j)                                                               \
    "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
#define SUMS16(j) SUMS4(j), SUMS4(j + 1), SUMS4(j + 2), SUMS4(j + 3)
#define SUMS64(j) SUMS16(j), SUMS16(j + 4), SUMS16(j + 8), SUMS16(j + 12)

/* Names of the first 8, 16, ... operands. */
#define R8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define R16 R8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define R32                                                                    \
    R16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27"         \
        ", %28, %29, %30, %31"
#define R48                                                                    \
    R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43"         \
        ", %44, %45, %46, %47"
#define R64                                                                    \
    R48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59"         \
        ", %60, %61, %62, %63"
#define R96                                                                    \
    R64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "  \
        "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "    \
        "%90, %91, %92, %93, %94, %95"
#define R112                                                                   \
    R96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, "     \
        "%107, %108, %109, %110, %111"
#define R128                                                                   \
    R112 ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, "      \
         "%122, %123, %124, %125, %126, %127"

/**
 * wgmma, 64 x N x 16. A, B, ADD: names of the three operands behind the sums.
 * p: else sums begin anew. 1, 1: signs stay. TURNED: 1 where rows of a, or
 * columns of b, lie side by side; 0 where k does.
 */
#define WGMMA(N, R, A, B, ADD, TURNED, ...)                                    \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, " ADD ", 0;"                  \
                 "wgmma.mma_async.sync.aligned.m64n" #N                        \
                 "k16.f32.bf16.bf16 {" R "}, " A ", " B ", p, 1, 1, " TURNED   \
                 "; }"                                                         \
                 : __VA_ARGS__                                                 \
                 : "l"(a), "l"(b), "r"((int)add))

/**
 * Begin sum = a * b, or sum += a * b: 64 x 256 x 16, by four warps.
 * PTX ISA: wgmma.mma_async.
 *
 * @param sum  sum[j] is what mma_m16n8k16 has, of columns 8 * j and on; warp w
 *             has rows 16 * w and on
 * @param a,b  descriptors: k is contiguous in a, columns are in b
 * @param add  else sums begin anew
 */
static __device__ inline void wgmma_m64n256k16(float sum[32][4], uint64_t a,
                                               uint64_t b, bool add)
{
    WGMMA(256, R128, "%128", "%129", "%130", "0, 1", SUMS64(0), SUMS64(16));
}

/** The same, 64 x N x 16, of what lies the other way: rows are contiguous in
 * a, k is in b. */
template <int N>
static __device__ inline void wgmma_turned(float sum[N / 8][4], uint64_t a,
                                           uint64_t b, bool add)
{
    if constexpr (N == 16)
        WGMMA(16, R8, "%8", "%9", "%10", "1, 0", SUMS4(0), SUMS4(1));
    else if constexpr (N == 32)
        WGMMA(32, R16, "%16", "%17", "%18", "1, 0", SUMS16(0));
    else if constexpr (N == 64)
        WGMMA(64, R32, "%32", "%33", "%34", "1, 0", SUMS16(0), SUMS16(4));
    else if constexpr (N == 96)
        WGMMA(96, R48, "%48", "%49", "%50", "1, 0", SUMS16(0), SUMS16(4),
              SUMS16(8));
    else if constexpr (N == 128)
        WGMMA(128, R64, "%64", "%65", "%66", "1, 0", SUMS64(0));
    else if constexpr (N == 144)
        WGMMA(144, R64 ", %64, %65, %66, %67, %68, %69, %70, %71", "%72", "%73",
              "%74", "1, 0", SUMS64(0), SUMS4(16), SUMS4(17));
    else if constexpr (N == 192)
        WGMMA(192, R96, "%96", "%97", "%98", "1, 0", SUMS64(0), SUMS16(16),
              SUMS16(20));
    else if constexpr (N == 224)
        WGMMA(224, R112, "%112", "%113", "%114", "1, 0", SUMS64(0), SUMS16(16),
              SUMS16(20), SUMS16(24));
    else if constexpr (N == 256)
        WGMMA(256, R128, "%128", "%129", "%130", "1, 0", SUMS64(0), SUMS64(16));
    else
        static_assert(N < 0, "no wgmma of so many columns here");
}

/** The products begun since the last commit are a group. */
static __device__ inline void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/** Wait until at most the last `LEFT` groups are under way. */
template <int LEFT>
static __device__ inline void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/** What this thread has stored, or has waited for, wgmma and the copy engine
 * see: they go another way to shared memory. PTX ISA: Async proxy. */
static __device__ inline void fence_proxy_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- 9.0: mbarriers ---------------------------------------------------------
 */

/** A barrier of 8 bytes for so many arrivals a phase. */
static __device__ inline void mbarrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                 "r"(arrivals)
                 : "memory");
}

/** Others, the copy engine too, see the barriers that this thread has made. */
static __device__ inline void mbarrier_init_fence(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/** Arrive; the phase ends only when so many bytes have come, too.
 */
static __device__ inline void mbarrier_expect(uint32_t barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
        "r"(bytes)
        : "memory");
}

/** Arrive, and expect no bytes. PTX ISA: mbarrier.arrive. */
static __device__ inline void mbarrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
}

/** Arrive at the barrier of this address in a block of the cluster. */
static __device__ inline void mbarrier_arrive_at(uint32_t barrier, int rank)
{
    asm volatile(
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
        "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
        "r"(rank)
        : "memory");
}

/** Wait until the phase of this parity has ended. */
static __device__ inline void mbarrier_wait(uint32_t barrier, int parity)
{
    asm volatile("{ .reg .pred done; again:"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;"
                 "@!done bra again; }" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* ---- 9.0: the copy engine (TMA) ---------------------------------------------
 */

/** Have a box of a tensor come, its first element at column x, row y; zeros
 * beyond the edges. Its bytes arrive at the barrier. */
static __device__ inline void tensor_load(uint32_t to, const CUtensorMap *map,
                                          int x, int y, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/** The same into each block of the cluster whose bit is in `blocks`, at the
 * same place, counted by each one's barrier. */
static __device__ inline void tensor_load_to(int blocks, uint32_t to,
                                             const CUtensorMap *map, int x,
                                             int y, uint32_t barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
        "bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(barrier), "h"((uint16_t)blocks)
        : "memory");
}

/** Have a map come near, before the first box of it is asked for. */
static __device__ inline void prefetch_map(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/** Have a box go to global memory, less what lies beyond the edges. */
static __device__ inline void tensor_store(const CUtensorMap *map,
                                           uint32_t from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, "
                 "{%1, %2}], [%3];" ::"l"(map),
                 "r"(x), "r"(y), "r"(from)
                 : "memory");
}

/** The stores that this thread has begun since the last commit are a group. */
static __device__ inline void store_commit(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/** Wait until of all but the last `LEFT` groups shared memory has been read. */
template <int LEFT>
static __device__ inline void store_wait_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

/* ---- 9.0: warps and clusters ------------------------------------------------
 */

/** Each warp of a group gives registers back, or waits for more. */
template <int REGISTERS>
static __device__ inline void registers_down_to(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
/** The other way: wait until the warps of the group have so many more. */
template <int REGISTERS>
static __device__ inline void registers_up_to(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/** Barrier `number` of 1 to 15, for `threads` threads of a block. */
static __device__ inline void barrier_sync(int number, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/** All threads of all blocks of a cluster have come here. */
static __device__ inline void cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.release;"
                 "barrier.cluster.wait.acquire;" ::
                     : "memory");
}

/** Store four matrices of 8 x 8: ldmatrix_x4() backwards. */
static __device__ inline void stmatrix_x4(uint32_t row, const uint32_t from[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, "
                 "%4};" ::"r"(row),
                 "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
}

/** The same, each matrix transposed: columns of lanes are rows in memory. */
static __device__ inline void stmatrix_x4_trans(uint32_t row,
                                                const uint32_t from[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, "
                 "%2, %3, %4};" ::"r"(row),
                 "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
}

/** Two of them; the addresses come from lanes 0 to 15. */
static __device__ inline void stmatrix_x2_trans(uint32_t row,
                                                const uint32_t from[2])
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
            row),
        "r"(from[0]), "r"(from[1])
        : "memory");
}

#endif
