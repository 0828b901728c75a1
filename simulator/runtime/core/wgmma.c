/**
 * @file wgmma.c
 * @brief Products of four warps, from shared memory: wgmma of sm_90a.
 *
 * layout.h says how its operands lie there.
 *
 * A product is made when it is issued. Its operands, though, may be read up to
 * the moment when somebody has waited for its group, so they are noted once
 * more then: who overwrites them before is found as a race.
 */
#include "inside.h"
#include "layout.h"

#define ROWS 16  /**< of a warp */
#define DEPTH 16 /**< columns of a, rows of b */
#define MOST 256 /**< columns of b */
#define PIECE 16 /**< bytes that are noted at a time */

/** A product under way. */
typedef struct {
    sim_wgmma product;
    uint32_t group;
} pending;

/** Of a lane. */
struct sim_wgmma_lane {
    bool fenced;    /**< since the kernel began */
    uint32_t group; /**< that is open */
    unsigned count; /**< products under way */
    unsigned room;  /**< entries of products[] */
    pending *products;
};

/** Some lane has had products: most programs have none. */
static _Atomic bool used;

static struct sim_wgmma_lane *own(void)
{
    sim_lane *lane = sim_self->lane;
    if (!lane->wgmma) {
        used = true;
        lane->wgmma = sim_grow(NULL, sizeof *lane->wgmma);
        memset(lane->wgmma, 0, sizeof *lane->wgmma);
    }
    return lane->wgmma;
}

/* ---- the product --------------------------------------------------------- */

/** A value of shared memory. */
static float value_at(int format, uint32_t offset)
{
    uint16_t bits;
    memcpy(&bits, sim_shared_pointer(offset), sizeof bits);
    return sim_tensor_value(format, bits);
}

/** What a lane brings. */
typedef struct {
    const sim_wgmma *product;
    unsigned first; /**< row of a that is the warp's first */
    uint64_t **sums;
} brought;

static float *element(float c[ROWS][MOST], unsigned lane, unsigned i)
{
    place at = place_in_c(lane, i);
    return &c[at.row][at.column];
}

static void multiply(void *lanes[LANES])
{
    const brought *first = lanes[0];
    const sim_wgmma *p = first->product;
    static _Thread_local float a[ROWS][DEPTH], b[DEPTH][MOST], c[ROWS][MOST];
    for (unsigned l = 0; l < LANES && p->a_held; l++)
        for (unsigned e = 0; e < 8; e++) {
            const sim_wgmma *own = ((brought *)lanes[l])->product;
            place at = place_in_a(l, e, 2);
            a[at.row][at.column] = sim_tensor_value(
                p->format, (uint16_t)(own->held[e / 2] >> e % 2 * 16));
        }
    for (unsigned k = 0; k < DEPTH; k++) {
        for (unsigned r = 0; r < ROWS && !p->a_held; r++)
            a[r][k] = value_at(p->format, offset_of(p->a, p->a_by_columns,
                                                    first->first + r, k));
        for (unsigned col = 0; col < p->n; col++)
            b[k][col] =
                value_at(p->format, offset_of(p->b, p->b_by_rows, col, k));
    }
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned i = 0; i < p->n / 2; i++) {
            uint64_t bits = *((brought *)lanes[l])->sums[i];
            *element(c, l, i) = p->add ? sim_float_of((uint32_t)bits) : 0.0f;
        }
    /* A product of two such numbers has at most 22 bits: it is exact. */
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned k = 0; k < DEPTH; k++)
            for (unsigned col = 0; col < p->n; col++)
                c[r][col] += a[r][k] * b[k][col];
    RAISE(product, sim_self, (uint64_t)ROWS * DEPTH * p->n);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned i = 0; i < p->n / 2; i++)
            *((brought *)lanes[l])->sums[i] = sim_bits_of(*element(c, l, i));
}

/* ---- reads --------------------------------------------------------------- */

/** Note the running lane's share of what its warp reads. */
static void note_reads(const sim_wgmma *p)
{
    unsigned lane = lane_index(sim_self, sim_self->lane);
    unsigned first = lane / LANES % 4 * ROWS;
    lane %= LANES;
    if (!sim_self->counting)
        return;
    /* 8 elements are in one piece in the direction that runs fastest. */
    unsigned row = p->a_by_columns ? lane % 2 * 8 : lane / 2;
    unsigned at = p->a_by_columns ? lane / 2 : lane % 2 * 8;
    if (!p->a_held)
        sim_hook_bulk(sim_shared_pointer(
                          offset_of(p->a, p->a_by_columns, first + row, at)),
                      PIECE, false, p->site);
    for (unsigned i = lane; i < 2 * p->n; i += LANES) {
        unsigned col = p->b_by_rows ? i % (p->n / 8) * 8 : i / 2;
        unsigned k = p->b_by_rows ? i / (p->n / 8) : i % 2 * 8;
        sim_hook_bulk(sim_shared_pointer(offset_of(p->b, p->b_by_rows, col, k)),
                      PIECE, false, p->site);
    }
}

/** A swizzle turns what 8 rows have; they begin at a multiple of their size,
 *  unless the descriptor says how far behind one (base offset). */
static void check_start(uint64_t descriptor, uint32_t site)
{
    unsigned swizzle = descriptor >> 62, base = descriptor >> 49 & 7;
    uint32_t start = (uint32_t)(descriptor & 0x3fff) << 4;
    unsigned piece = swizzle ? 2048u >> swizzle : 128; /* of 8 rows */
    if (!swizzle || base || !(start & (piece - 1) & ~127u))
        return;
    sim_finding("wgmma-start", sim_place_at(sim_self, site),
                "%s multiplies a matrix in shared memory, swizzled by %u "
                "bytes, that begins\n%u bytes behind a multiple of %u: its "
                "descriptor has no base offset",
                sim_here(sim_self), piece / 8, start & (piece - 1), piece);
}

/* ---- what kernels call --------------------------------------------------- */

void sim_wgmma_fence(void)
{
    own()->fenced = true;
}

void sim_wgmma_run(const sim_wgmma *product, uint64_t **sums)
{
    sim_worker *w = sim_self;
    struct sim_wgmma_lane *state = own();
    unsigned thread = lane_index(w, w->lane);
    if (!state->fenced)
        sim_finding("wgmma-fence", sim_place_at(w, product->site),
                    "%s multiplies without a wgmma.fence before: its registers "
                    "may not be ready",
                    sim_here(w));
    state->fenced = true;
    if (!product->a_held)
        check_start(product->a, product->site);
    check_start(product->b, product->site);
    note_reads(product);
    brought mine = {product, thread / LANES % 4 * ROWS, sums};
    sim_warp_together(multiply, &mine, NULL, 0, product->site);
    if (state->count == state->room) {
        state->room = state->room ? 2 * state->room : 8;
        state->products =
            sim_grow(state->products, state->room * sizeof *state->products);
    }
    state->products[state->count++] = (pending){*product, state->group};
}

void sim_wgmma_commit(void)
{
    own()->group++;
}

void sim_wgmma_wait(uint32_t left)
{
    struct sim_wgmma_lane *state = own();
    unsigned kept = 0;
    uint32_t site = state->count ? state->products[0].product.site : 0;
    for (unsigned i = 0; i < state->count; i++) {
        const pending *p = &state->products[i];
        if (state->group - p->group <= left) /* 0: not even committed */
            state->products[kept++] = *p;
        else
            note_reads(&p->product);
    }
    bool fewer = kept < state->count;
    state->count = kept;
    if (fewer) /* with one warp's share all are done */
        sim_wait_warpgroup(site);
}

/** Does the warp whose first row of a is @p first read any of these bytes? */
static bool reads(const sim_wgmma *p, unsigned first, uint32_t offset,
                  uint32_t bytes)
{
    for (unsigned r = 0; r < ROWS && !p->a_held; r += p->a_by_columns ? 8 : 1)
        for (unsigned k = 0; k < DEPTH; k += p->a_by_columns ? 1 : 8)
            if (offset_of(p->a, p->a_by_columns, first + r, k) - offset < bytes)
                return true;
    for (unsigned col = 0; col < p->n; col += p->b_by_rows ? 8 : 1)
        for (unsigned k = 0; k < DEPTH; k += p->b_by_rows ? 1 : 8)
            if (offset_of(p->b, p->b_by_rows, col, k) - offset < bytes)
                return true;
    return false;
}

void sim_wgmma_overwrite(sim_worker *w, uint32_t offset, uint32_t bytes)
{
    for (unsigned t = 0; t < sim_now.threads; t += LANES) {
        const struct sim_wgmma_lane *state = w->lanes[t].wgmma;
        for (unsigned i = 0; state && i < state->count; i++) {
            const sim_wgmma *p = &state->products[i].product;
            if (!reads(p, t / LANES % 4 * ROWS, offset, bytes))
                continue;
            sim_finding("wgmma-wait", sim_place_at(w, p->site),
                        "%s has a box copied over what this product reads: no "
                        "wgmma.wait_group has waited for it",
                        sim_here(sim_self));
            return;
        }
    }
}

void sim_wgmma_end_block(sim_worker *w, bool complete)
{
    if (!used)
        return;
    for (unsigned t = 0; t < sim_now.threads; t++) {
        struct sim_wgmma_lane *state = w->lanes[t].wgmma;
        if (!state)
            continue;
        if (state->count && complete)
            sim_finding("wgmma-wait",
                        sim_place_at(w, state->products[0].product.site),
                        "%s ends before this product has: no wgmma.wait_group "
                        "waits for it",
                        sim_who(w, t));
        state->count = state->group = 0;
        state->fenced = false;
    }
}
