/**
 * @file ptx.h
 * @brief Instructions that several tests write as inline PTX, and tensor maps.
 *
 * Macros, so that a finding is at the line that uses one.
 */
#ifndef PTX_H
#define PTX_H

#include "cases.h"
#include <cuda.h>
#include <stdint.h>

/** An address in shared memory as PTX has it. */
static inline __device__ unsigned shared(const void *x)
{
    return (unsigned)__cvta_generic_to_shared(x);
}

/* ---- mbarriers ----------------------------------------------------------- */

#define MBARRIER_INIT(barrier, count)                                          \
    asm volatile(                                                              \
        "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(barrier)),      \
        "r"(count)                                                             \
        : "memory")
/** Others may use it from here on: other blocks, and the copy engine. */
#define FENCE_MBARRIER_INIT                                                    \
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory")
#define ARRIVE(barrier)                                                        \
    asm volatile(                                                              \
        "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(barrier))      \
        : "memory")
/** At the barrier of another block of the cluster. */
#define ARRIVE_AT(barrier, rank)                                               \
    asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, %1; "         \
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "     \
                 "[a]; }" ::"r"(shared(barrier)),                              \
                 "r"(rank)                                                     \
                 : "memory")
/** Arrive, and expect so many bytes of copies. */
#define ARRIVE_EXPECT(barrier, bytes)                                          \
    asm volatile(                                                              \
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(        \
            shared(barrier)),                                                  \
        "r"((int)(bytes))                                                      \
        : "memory")
#define WAIT(barrier, parity)                                                  \
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta" \
                 ".b64 p, [%0], %1; @!p bra again; }" ::"r"(shared(barrier)),  \
                 "r"(parity)                                                   \
                 : "memory")

/* ---- the copy engine ----------------------------------------------------- */

/** What threads have stored in shared memory is there for it, and wgmma. */
#define FENCE_ASYNC asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define LOAD_BOX(to, map, row, col, barrier)                                   \
    asm volatile(                                                              \
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"              \
        "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),  \
        "l"(map), "r"(col), "r"(row), "r"(shared(barrier))                     \
        : "memory")
/** To all blocks of the cluster whose bits are set. */
#define LOAD_BOX_FOR(blocks, to, map, row, col, barrier)                       \
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"     \
                 "::complete_tx::bytes.multicast::cluster [%0], "              \
                 "[%1, {%2, %3}], [%4], %5;" ::"r"(shared(to)),                \
                 "l"(map), "r"(col), "r"(row), "r"(shared(barrier)),           \
                 "h"((uint16_t)(blocks))                                       \
                 : "memory")
#define STORE_BOX(map, row, col, from)                                         \
    asm volatile(                                                              \
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "               \
        "[%0, {%1, %2}], [%3]; cp.async.bulk.commit_group;" ::"l"(map),        \
        "r"(col), "r"(row), "r"(shared(from))                                  \
        : "memory")
/** Until the engine has read what it stores. */
#define WAIT_READ asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")

/** An array of 16-bit numbers, to be copied in boxes. */
static inline CUresult array_map(CUtensorMap *map, uint16_t *x, int rank,
                                 const cuuint64_t *size,
                                 const cuuint64_t *pitches,
                                 const cuuint32_t *box, int swizzle)
{
    decltype(&cuTensorMapEncodeTiled) encode;
    cudaDriverEntryPointQueryResult found;
    CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                                (void **)&encode, 12000,
                                                cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess);
    cuuint32_t step[] = {1, 1, 1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_UINT16, rank, x, size, pitches,
                  box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/** A matrix whose rows begin @p pitch bytes apart. */
static inline CUresult tensor_map(CUtensorMap *map, uint16_t *x, int rows,
                                  int cols, int pitch, int box_rows,
                                  int box_cols, int swizzle = 0)
{
    cuuint64_t size[] = {(cuuint64_t)cols, (cuuint64_t)rows};
    cuuint64_t pitches[] = {(cuuint64_t)pitch};
    cuuint32_t box[] = {(cuuint32_t)box_cols, (cuuint32_t)box_rows};
    return array_map(map, x, 2, size, pitches, box, swizzle);
}

/** The same, which must do. */
static inline CUtensorMap map_of(uint16_t *x, int rows, int cols, int pitch,
                                 int box_rows, int box_cols, int swizzle = 0)
{
    CUtensorMap map;
    CHECK(tensor_map(&map, x, rows, cols, pitch, box_rows, box_cols, swizzle) ==
          CUDA_SUCCESS);
    return map;
}

/* ---- wgmma --------------------------------------------------------------- */

#define WGMMA_FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
/** d += A B for 64 x 8 sums; @p types as bf16.bf16, @p b_by_rows "0" or "1". */
#define WGMMA(types, d, a, b, more, b_by_rows)                                 \
    asm volatile("{ .reg .pred more; setp.ne.b32 more, %6, 0; "                \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32." types            \
                 " {%0, %1, %2, %3}, %4, %5, more, 1, 1, 0, " b_by_rows "; }"  \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])              \
                 : "l"(a), "l"(b), "r"(more))
#define WGMMA_COMMIT                                                           \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")

#endif
