/**
 * @file tensor_map.c
 * @brief cuTensorMapEncodeTiled, and the call that finds it.
 *
 * Rules: CUDA driver API, "Tensor Map Object Management".
 */
#include "../../include/cuda.h"
#include "api.h"

static unsigned bytes_of(CUtensorMapDataType type)
{
    static const unsigned char bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    return (unsigned)type < sizeof bytes ? bytes[type] : 0;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type,
                                cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *pitch,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill)
{
    (void)promotion, (void)fill;
    sim_tensor_map made = {.magic = TMA_MAGIC,
                           .rank = rank,
                           .bytes = bytes_of(type),
                           .swizzle = swizzle,
                           .address = (uintptr_t)address};
    bool good = made.bytes && rank >= 1 && rank <= TMA_RANK &&
                interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && swizzle <= 3 &&
                (uintptr_t)address % 16 == 0;
    for (cuuint32_t d = 0; good && d < rank; d++) {
        good = size[d] && size[d] <= UINT64_C(1) << 32 && box[d] &&
               box[d] <= 256 && step[d] == 1;
        made.size[d] = size[d];
        made.box[d] = box[d];
        if (d == 0)
            continue;
        good &= pitch[d - 1] % 16 == 0 && pitch[d - 1] >> 40 == 0;
        made.pitch16[d] = (uint32_t)(pitch[d - 1] / 16);
    }
    unsigned row = made.box[0] * made.bytes;
    good &= row % 16 == 0 && (!swizzle || row <= 16u << swizzle);
    if (!good)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                 unsigned version, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *found)
{
    (void)version, (void)flags;
    bool known = !strcmp(symbol, "cuTensorMapEncodeTiled");
    __typeof__(&cuTensorMapEncodeTiled) own = cuTensorMapEncodeTiled;
    *function = NULL;
    if (known)
        memcpy(function, &own, sizeof own);
    if (found)
        *found = known ? cudaDriverEntryPointSuccess
                       : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
