/**
 * @file tma.c
 * @brief The copy engine: boxes of an array, by a tensor map.
 *
 * A box lies in shared memory as it would without gaps, but for the swizzle:
 * bits 4 to 6 of an address are turned by bits 7 to 9, as wgmma has it.
 */
#include "tma.h"

#include <stdbool.h>
#include <string.h>

#include "../../include/cuda_runtime_api.h"
#include "async.h"
#include "findings.h"
#include "text.h"

_Static_assert(sizeof(sim_tensor_map) <= 128, "fits a CUtensorMap");

/** Address of shared memory after the swizzle. */
static char *turned(const sim_tensor_map *map, char *to)
{
    uint32_t offset = (uint32_t)sim_shared_offset(to);
    uint32_t mask = (1u << map->swizzle) - 1;
    return (char *)sim_shared_pointer(offset ^ (offset >> 7 & mask) << 4);
}

/** Refuse a copy that hardware does not do. */
static void require(bool good, const char *what, uint32_t site)
{
    if (good)
        return;
    sim_worker *w = sim_self;
    sim_finding("tensor-copy",
                (sim_place){.site = site, .block = w->block_number},
                sim_format("%s, by %s", what, sim_here(w)));
    sim_end_launch(w, cudaErrorLaunchFailure);
}

/** 16 bytes of a row of the box: those in [0, size) of the array. */
static void piece(const sim_tensor_map *map, char *to, const char *row,
                  int64_t first, uint64_t size, sim_mbarrier *barrier,
                  uint32_t site)
{
    unsigned char data[COPY_BYTES] = {0};
    uint32_t count = COPY_BYTES / map->bytes;
    bool whole = row && first >= 0 && (uint64_t)first + count <= size &&
                 (uintptr_t)(row + first * map->bytes) % COPY_BYTES == 0;
    uint32_t step = whole ? count : 1;
    for (uint32_t i = 0; i < count; i += step) {
        int64_t x = first + i;
        if (!row || x < 0 || (uint64_t)x >= size)
            continue;
        const char *from = row + x * map->bytes;
        sim_hook_room(1);
        sim_hook_bulk(from, step * map->bytes, false, site);
        memcpy(data + i * map->bytes, from, step * map->bytes);
    }
    sim_async_counted(turned(map, to), data, barrier, site);
}

void sim_tma_load(void *to, const sim_tensor_map *map, const int32_t *at,
                  sim_mbarrier *barrier, uint32_t site)
{
    require(map->magic == TMA_MAGIC, "not a tensor map", site);
    require(!((uintptr_t)to & 127),
            "the target of a tensor copy is not a multiple of 128", site);
    const sim_lane *made = &sim_self->lanes[barrier->thread];
    if (made->init_time < barrier->epoch && made->proxy_time < barrier->epoch)
        sim_finding(
            "proxy-fence",
            (sim_place){.site = site, .block = sim_self->block_number},
            sim_format("%s copies to a barrier that the copy engine may not "
                       "see\nno fence.mbarrier_init behind its mbarrier.init",
                       sim_here(sim_self)));
    uint32_t rows = 1; /* of the box */
    for (unsigned d = 1; d < map->rank; d++)
        rows *= map->box[d];
    uint32_t row_bytes = map->box[0] * map->bytes;
    char *target = to;
    for (uint32_t i = 0; i < rows; i++) {
        const char *row = (const char *)map->address;
        for (uint32_t d = 1, left = i; d < map->rank; d++) {
            int64_t x = at[d] + (int64_t)(left % map->box[d]);
            left /= map->box[d];
            bool inside = x >= 0 && (uint64_t)x < map->size[d];
            row =
                row && inside ? row + x * 16 * (int64_t)map->pitch16[d] : NULL;
        }
        for (uint32_t b = 0; b < row_bytes; b += COPY_BYTES)
            piece(map, target + b, row, at[0] + (int64_t)(b / map->bytes),
                  map->size[0], barrier, site);
        target += row_bytes;
    }
}
