/**
 * @file wmma.c
 * @brief nvcuda::wmma: fragments, their loads and stores, their products.
 *
 * A fragment is made of the blocks that mma.sync has (tensor.c): of two
 * matrices the one with 16 or 32 rows is `wide`, made of blocks of A, the other
 * of blocks of B. In m8n32k16 b is the wide one, and everything is transposed.
 *
 * The requests are those that nvcc 13 makes for sm_90, read from its machine
 * code:
 *
 *     a, b: half in shared memory      ldmatrix
 *     a, b: half, bfloat16 elsewhere   4 bytes a lane, a block of 8 x 8 each
 *     a, b: TF32                       4 bytes a lane, each element
 *     a, b: of 8 bits (a guess)        4 bytes a lane, 8 rows of 16 bytes each,
 *                                      where k runs along them, else 1 byte
 *     a, b: double (a guess)           8 bytes a lane
 *     sums: double (a guess)           as float, of twice the bytes
 *     sums: half                       4 bytes a lane, a block of 8 x 8 each
 *     sums: float, int                 8 bytes a lane where the pairs of a lane
 *                                      lie side by side, else 4
 */
#include "inside.h"
#include "layout.h"

#define MOST 32 /**< rows, columns of a matrix */

/** A matrix in memory, as the running lane sees it. */
typedef struct {
    const sim_fragment *fragment;
    unsigned char *registers; /* of the lane */
    unsigned char *memory;
    unsigned pitch;
    bool columns; /* one after the other */
} matrix_access;

/* ---- which element lies where -------------------------------------------- */

static unsigned size_of(const sim_fragment *f)
{
    if (f->format == SIM_S8 || f->format == SIM_U8)
        return 1;
    if (f->format == SIM_DOUBLE)
        return 8;
    return f->format == SIM_HALF || f->format == SIM_BFLOAT16 ? 2 : 4;
}

static unsigned rows_of(const sim_fragment *f)
{
    return (unsigned)(f->part == SIM_MATRIX_B ? f->k : f->m);
}

static unsigned columns_of(const sim_fragment *f)
{
    return (unsigned)(f->part == SIM_MATRIX_A ? f->k : f->n);
}

/** m8n32k16 is n32m8k16 with rows for columns. */
static bool is_transposed(const sim_fragment *f)
{
    return f->m < f->n;
}

/** Elements of a lane, each once. */
static unsigned elements_of(const sim_fragment *f)
{
    return rows_of(f) * columns_of(f) / LANES;
}

/** The place of element @p e of a lane. */
static place place_of(const sim_fragment *f, unsigned lane, unsigned e)
{
    unsigned group = lane / 4, in_group = lane % 4;
    unsigned outer, inner; /* row of the wide one, column of the narrow one */
    e %= elements_of(f);
    if (f->part == SIM_ACCUMULATOR) {
        bool tall = f->m == 32 || f->n == 32; /* two blocks below each other */
        outer = group + 8 * (e / 2 % 2) + (tall ? 16 * (e / 4) : 0);
        inner = 2 * in_group + e % 2 + (tall ? 0 : 8 * (e / 4));
        return is_transposed(f) ? (place){inner, outer} : (place){outer, inner};
    }
    bool is_a = f->part == SIM_MATRIX_A;
    if (f->format == SIM_DOUBLE)
        return is_a ? (place){group, in_group} : (place){in_group, group};
    unsigned p = 4 / size_of(f), r = e / p;   /* a register has p elements */
    unsigned deep = (unsigned)f->k / (4 * p); /* registers, along k */
    if (is_a != is_transposed(f)) {
        outer = group + 8 * (r % 2) + 16 * (r / (2 * deep));
        inner = p * in_group + e % p + 4 * p * (r / 2 % deep);
    } else {
        outer = group + 8 * (r / deep);
        inner = p * in_group + e % p + 4 * p * (r % deep);
    }
    return is_a ? (place){outer, inner} : (place){inner, outer};
}

/** Where an element lies in memory. */
static unsigned char *address_of(const matrix_access *x, place at)
{
    size_t step = x->columns ? (size_t)at.column * x->pitch + at.row
                             : (size_t)at.row * x->pitch + at.column;
    return x->memory + step * size_of(x->fragment);
}

/* ---- requests ------------------------------------------------------------ */

static unsigned lane_number(void)
{
    return lane_index(sim_self, sim_self->lane) % LANES;
}

/** Blocks of 8 rows of 16 bytes: the address of row @p row of one. What lies
 *  side by side in memory is a row here. */
static unsigned char *block_row(const matrix_access *x, unsigned block,
                                unsigned row)
{
    unsigned size = size_of(x->fragment);
    unsigned beside =
        (x->columns ? rows_of(x->fragment) : columns_of(x->fragment)) * size /
        16;
    size_t line = 8 * (block / beside) + row;
    return x->memory + line * x->pitch * size + 16 * (block % beside);
}

/** Blocks, up to four with one ldmatrix. */
static void note_ldmatrix(const matrix_access *x, unsigned blocks,
                          uint32_t site)
{
    unsigned lane = lane_number(), each = blocks < 4 ? blocks : 4;
    for (unsigned first = 0; first < blocks; first += each)
        if (lane < 8 * each)
            sim_note((uintptr_t)block_row(x, first + lane / 8, lane % 8), 16,
                     OP_LOAD, FLAVOUR_MATRIX, site);
}

/** Blocks, each with 4 bytes a lane. */
static void note_blocks(const matrix_access *x, unsigned blocks, unsigned op,
                        uint32_t site)
{
    unsigned lane = lane_number();
    for (unsigned block = 0; block < blocks; block++)
        sim_note((uintptr_t)block_row(x, block, lane / 4) + 4 * (lane % 4), 4,
                 op, 0, site);
}

/** Elements of 4 and 8 bytes: pairs if they lie side by side. */
static void note_elements(const matrix_access *x, unsigned op, uint32_t site)
{
    const sim_fragment *f = x->fragment;
    bool pairs = f->part == SIM_ACCUMULATOR && x->columns == is_transposed(f);
    unsigned step = pairs ? 2 : 1;
    for (unsigned e = 0; e < elements_of(f); e += step)
        sim_note((uintptr_t)address_of(x, place_of(f, lane_number(), e)),
                 step * size_of(f), op, 0, site);
}

static void note_requests(const matrix_access *x, unsigned op, uint32_t site)
{
    const sim_fragment *f = x->fragment;
    unsigned blocks = rows_of(f) * columns_of(f) * size_of(f) / 128;
    bool by_k = x->columns == (f->part == SIM_MATRIX_B);
    if (size_of(f) >= 4 || (size_of(f) == 1 && !by_k))
        note_elements(x, op, site);
    else if (f->part != SIM_ACCUMULATOR && f->format == SIM_HALF &&
             in_shared(sim_self, x->memory, 1))
        note_ldmatrix(x, blocks, site);
    else
        note_blocks(x, blocks, op, site);
}

/* ---- all lanes together -------------------------------------------------- */

static void copy(unsigned char *to, const unsigned char *from, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = from[i];
}

static void load_all(void *brought[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const matrix_access *x = brought[lane];
        const sim_fragment *f = x->fragment;
        unsigned size = size_of(f);
        for (unsigned e = 0; e < (unsigned)f->elements; e++)
            copy(x->registers + e * size, address_of(x, place_of(f, lane, e)),
                 size);
    }
}

static void store_all(void *brought[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const matrix_access *x = brought[lane];
        unsigned size = size_of(x->fragment);
        for (unsigned e = 0; e < elements_of(x->fragment); e++)
            copy(address_of(x, place_of(x->fragment, lane, e)),
                 x->registers + e * size, size);
    }
}

void sim_matrix_load(const sim_fragment *fragment, void *registers,
                     const void *p, unsigned pitch, bool columns,
                     const char *file, int line, uint32_t site)
{
    matrix_access own = {fragment, registers, (unsigned char *)p, pitch,
                         columns};
    if (!sim_self->lane)
        return; /* called by host code */
    note_requests(&own, OP_LOAD, site);
    sim_warp_together(load_all, &own, file, line, site);
}

void sim_matrix_store(const sim_fragment *fragment, const void *registers,
                      void *p, unsigned pitch, bool columns, const char *file,
                      int line, uint32_t site)
{
    matrix_access own = {fragment, (unsigned char *)registers, p, pitch,
                         columns};
    if (!sim_self->lane)
        return;
    note_requests(&own, OP_STORE, site);
    sim_warp_together(store_all, &own, file, line, site);
}

/* ---- products ------------------------------------------------------------ */

/** What a lane brings: of a, b, c, d. */
typedef struct {
    const sim_fragment *fragments;
    void *const *registers;
    bool saturate;
} product_access;

/** An element: of integers, or of others. */
typedef union {
    int32_t i;
    float f;
} cell;

typedef cell matrix[MOST][MOST];

static bool is_integer(const sim_fragment *f)
{
    return f->format == SIM_S8 || f->format == SIM_U8 || f->format == SIM_S32;
}

/** Element @p e of a lane's fragment. */
static cell cell_of(const sim_fragment *f, const void *from, unsigned e)
{
    if (f->format == SIM_S8)
        return (cell){.i = ((const int8_t *)from)[e]};
    if (f->format == SIM_U8)
        return (cell){.i = ((const uint8_t *)from)[e]};
    if (f->format == SIM_S32)
        return (cell){.i = ((const int32_t *)from)[e]};
    uint32_t bits = size_of(f) == 2 ? ((const uint16_t *)from)[e]
                                    : ((const uint32_t *)from)[e];
    return (cell){.f = sim_tensor_value(f->format, bits)};
}

/** Collect a matrix from the lanes. */
static void gather(void *brought[LANES], int which, matrix to)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const product_access *own = brought[lane];
        const sim_fragment *f = &own->fragments[which];
        const void *from = own->registers[which];
        for (unsigned e = 0; e < elements_of(f); e++) {
            place at = place_of(f, lane, e);
            to[at.row][at.column] = cell_of(f, from, e);
        }
    }
}

/** Give a matrix to the lanes. */
static void scatter(void *brought[LANES], int which, matrix from)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const product_access *own = brought[lane];
        const sim_fragment *f = &own->fragments[which];
        for (unsigned e = 0; e < elements_of(f); e++) {
            place at = place_of(f, lane, e);
            cell x = from[at.row][at.column];
            if (size_of(f) == 4)
                ((cell *)own->registers[which])[e] = x;
            else
                ((uint16_t *)own->registers[which])[e] =
                    sim_small_from(f->format, SIM_TO_NEAREST, x.f);
        }
    }
}

/** a b + c; see mma_sync() for @p saturate. */
static cell sum(bool integers, bool saturate, cell a, cell b, cell c)
{
    if (integers) {
        int64_t exact = (int64_t)a.i * b.i + c.i;
        int64_t held = exact > INT32_MAX   ? INT32_MAX
                       : exact < INT32_MIN ? INT32_MIN
                                           : exact;
        return (cell){.i = (int32_t)(uint32_t)(saturate ? held : exact)};
    }
    float x = fmaf(a.f, b.f, c.f);
    if (saturate && !isfinite(x))
        x = isnan(x) ? 0.0f : copysignf(FLT_MAX, x);
    return (cell){.f = x};
}

static void multiply_all(void *brought[LANES])
{
    const product_access *own = brought[0];
    const sim_fragment *f = own->fragments;
    matrix a, b, c;
    gather(brought, 0, a);
    gather(brought, 1, b);
    gather(brought, 2, c);
    for (int i = 0; i < f->m; i++)
        for (int l = 0; l < f->k; l++)
            for (int j = 0; j < f->n; j++)
                c[i][j] = sum(is_integer(f), own->saturate, a[i][l], b[l][j],
                              c[i][j]);
    scatter(brought, 3, c);
    RAISE(product, sim_self, (uint64_t)f->m * f->n * f->k);
}

typedef double doubles[8][8];

/** gather() of doubles. */
static void gather_doubles(void *brought[LANES], int which, doubles to)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const product_access *own = brought[lane];
        const sim_fragment *f = &own->fragments[which];
        for (unsigned e = 0; e < elements_of(f); e++) {
            place at = place_of(f, lane, e);
            to[at.row][at.column] = ((double *)own->registers[which])[e];
        }
    }
}

/** Products of doubles are added one after the other, each rounded once. */
static void multiply_doubles(void *brought[LANES])
{
    const product_access *first = brought[0];
    const sim_fragment *f = first->fragments;
    doubles a, b, c;
    gather_doubles(brought, 0, a);
    gather_doubles(brought, 1, b);
    gather_doubles(brought, 2, c);
    for (int i = 0; i < f->m; i++)
        for (int l = 0; l < f->k; l++)
            for (int j = 0; j < f->n; j++)
                c[i][j] = fma(a[i][l], b[l][j], c[i][j]);
    for (unsigned lane = 0; lane < LANES; lane++) {
        const product_access *own = brought[lane];
        for (unsigned e = 0; e < elements_of(&own->fragments[3]); e++) {
            place at = place_of(&own->fragments[3], lane, e);
            ((double *)own->registers[3])[e] = c[at.row][at.column];
        }
    }
    RAISE(product, sim_self, (uint64_t)f->m * f->n * f->k);
}

void sim_matrix_multiply(const sim_fragment fragments[4],
                         void *const registers[4], bool saturate,
                         const char *file, int line, uint32_t site)
{
    product_access own = {fragments, registers, saturate};
    bool of_doubles = fragments->format == SIM_DOUBLE;
    sim_warp_together(of_doubles ? multiply_doubles : multiply_all, &own, file,
                      line, site);
}
