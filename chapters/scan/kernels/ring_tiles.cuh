/**
 * @file ring_tiles.cuh
 * @brief The warps of 10_ring.cuh that move tiles: loader and scanners.
 */

/** The loader, one warp: tiles of x into empty slots. */
template <operation OP>
__device__ void load_tiles(ring_slots *s, int64_t n, const float *x)
{
    int lane = threadIdx.x % 32;
    for (place p = first_place(); p.tile * RING_TILE < n; go_on(&p)) {
        const float *from = x + p.tile * RING_TILE;
        float *to = s->tile[p.slot];
        int left = (int)min(n - p.tile * RING_TILE, (int64_t)RING_TILE);
        int whole = left / 4 * 4; // a bulk copy has a multiple of 16 bytes
        if (p.round >= SLOTS)
            s->empty[p.slot].wait_parity(!p.phase);
        for (int i = whole + lane; i < RING_TILE; i += 32) // the last tile's
            to[i] = element<OP>(left, from, i);
        __syncwarp(); // all lanes have stored before lane 0 arrives
        if (lane == 0) {
            cuda::aligned_size_t<16> bytes(whole * sizeof(float));
            if (whole > 0)
                cuda::device::memcpy_async_tx(to, from, bytes, s->full[p.slot]);
            (void)cuda::device::barrier_arrive_tx(s->full[p.slot], 1, bytes);
        }
    }
}

/** Have the first @p left elements of a part copied to y; by a whole warp. */
__device__ void store_part(const float *part, int left, float *y)
{
    int lane = threadIdx.x % 32;
    int whole = left / 4 * 4; // a bulk copy has a multiple of 16 bytes
    // What lanes have stored, the copy must see.
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncwarp();
    if (lane == 0 && whole > 0)
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global,
                                 cuda::ptx::space_shared, y, part,
                                 whole * (unsigned)sizeof(float));
    if (lane == 0)
        cuda::ptx::cp_async_bulk_commit_group();
    if (lane < left - whole)
        y[whole + lane] = part[whole + lane];
}

/** A scanner, one warp: its part of every slot, scanned in place. */
template <operation OP, scan_kind KIND>
__device__ void scan_parts(ring_slots *s, int64_t n, float *y, int scanner)
{
    int lane = threadIdx.x % 32;
    int before_slot = 0; // that the last copy was from
    for (place p = first_place(); p.tile * RING_TILE < n; go_on(&p)) {
        float *part = s->tile[p.slot] + scanner * PART;
        int64_t start = p.tile * RING_TILE + scanner * PART;
        float4 v[PART_ROWS];
        float before[PART_ROWS];
        s->full[p.slot].wait_parity(p.phase);
#pragma unroll
        for (int r = 0; r < PART_ROWS; r++)
            v[r] = ((float4 *)part)[32 * r + lane];
        scan_rows<OP, PART_ROWS>(v, before);
        s->known[p.slot].wait_parity(p.phase);
        float front =
            combine<OP>(s->front[p.slot], s->part_front[p.slot][scanner]);
#pragma unroll
        for (int r = 0; r < PART_ROWS; r++)
            ((float4 *)part)[32 * r + lane] =
                scan_four<OP, KIND>(combine<OP>(front, before[r]), v[r]);
        store_part(part, (int)max((int64_t)0, min(n - start, (int64_t)PART)),
                   y + start);
        if (lane == 0) { // the last but one copy has left its slot
            cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<1>());
            if (p.round > 0)
                (void)s->empty[before_slot].arrive();
        }
        before_slot = p.slot;
    }
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
}
