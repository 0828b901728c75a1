/**
 * @file tensor.c
 * @brief Tensor cores: ldmatrix, stmatrix, mma.sync and nvcuda::wmma.
 *
 * layout.h says where the elements of a matrix lie.
 *
 * Products are exact. They are added one after the other to the element of c,
 * in float, rounded to nearest; the sum is rounded once more where d is half.
 * (A GPU adds several products at once and cuts off low bits: its last bits
 * differ.)
 */
#include "inside.h"
#include "layout.h"

/** The matrices of d = a * b + c; at the end c is d. */
typedef struct {
    float a[16][16];
    float b[16][8];
    float c[16][8];
} operands;

/* ---- numbers ------------------------------------------------------------- */

float sim_tensor_value(int format, uint32_t bits)
{
    if (format == SIM_TF32)
        return sim_float_of(bits & ~UINT32_C(0x1fff)); /* the rest is ignored */
    return format == SIM_FLOAT ? sim_float_of(bits)
                               : sim_small_value(format, (uint16_t)bits);
}

float sim_to_tf32(float x)
{
    uint32_t bits = sim_bits_of(x);
    if ((bits & 0x7fffffff) >= 0x7f800000)
        return x != x ? sim_float_of(0x7fffffff) : x;
    return sim_float_of((bits + 0x1000) & ~UINT32_C(0x1fff));
}

static unsigned bytes_of(int format)
{
    return format == SIM_HALF || format == SIM_BFLOAT16 ? 2 : 4;
}

static void multiply(operands *o, unsigned k)
{
    for (unsigned row = 0; row < 16; row++)
        for (unsigned l = 0; l < k; l++)
            for (unsigned column = 0; column < 8; column++)
                o->c[row][column] =
                    fmaf(o->a[row][l], o->b[l][column], o->c[row][column]);
}

/* ---- ldmatrix, stmatrix -------------------------------------------------- */

/** What a lane brings: the row that it names, and its registers. */
typedef struct {
    unsigned count;
    bool transposed;
    uint16_t *row;
    uint64_t **registers;
} row_access;

/** Element @p e of register @p r of a lane: lane 8 * r + i names row i. */
static uint16_t *element(void *brought[LANES], unsigned lane, unsigned r,
                         unsigned e)
{
    const row_access *own = brought[lane];
    place at = place_in_rows(lane, e, own->transposed);
    const row_access *named = brought[8 * r + at.row];
    return &named->row[at.column];
}

static void load_rows(void *brought[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const row_access *own = brought[lane];
        for (unsigned r = 0; r < own->count; r++)
            *own->registers[r] = *element(brought, lane, r, 0) |
                                 (uint32_t)*element(brought, lane, r, 1) << 16;
    }
}

static void store_rows(void *brought[LANES])
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        const row_access *own = brought[lane];
        for (unsigned r = 0; r < own->count; r++) {
            *element(brought, lane, r, 0) = (uint16_t)*own->registers[r];
            *element(brought, lane, r, 1) =
                (uint16_t)(*own->registers[r] >> 16);
        }
    }
}

/** Lanes 0 to 7 name the rows of the first matrix, and so on. */
static bool names_a_row(unsigned count)
{
    return lane_index(sim_self, sim_self->lane) % LANES < 8 * count;
}

void sim_tensor_rows(bool store, unsigned count, bool transposed,
                     uint64_t **registers, uintptr_t row, uint32_t site)
{
    row_access own = {count, transposed, (uint16_t *)row, registers};
    if (names_a_row(count))
        sim_note(row, 16, store ? OP_STORE : OP_LOAD,
                 store ? 0 : FLAVOUR_MATRIX, site);
    sim_warp_together(store ? store_rows : load_rows, &own, NULL, 0, site);
}

/* ---- mma.sync ------------------------------------------------------------ */

/** What a lane brings. */
typedef struct {
    const sim_mma *mma;
    uint64_t **registers;
} mma_access;

/** Registers of a lane for so many elements of a matrix. */
static unsigned registers_of(unsigned elements, int format)
{
    return elements * bytes_of(format) / (4 * LANES);
}

unsigned sim_mma_registers(const sim_mma *mma)
{
    return 2 * registers_of(16 * 8, mma->sum) +
           registers_of(16 * mma->k, mma->format) +
           registers_of(mma->k * 8, mma->format);
}

/** Element @p e of a lane that lies in some registers. */
static float in_registers(uint64_t **registers, unsigned e, int format)
{
    if (bytes_of(format) == 4)
        return sim_tensor_value(format, (uint32_t)*registers[e]);
    return sim_tensor_value(format,
                            (uint16_t)(*registers[e / 2] >> 16 * (e % 2)));
}

/** Put a result into element @p e. */
static void to_registers(uint64_t **registers, unsigned e, int format, float x)
{
    if (format == SIM_FLOAT) {
        *registers[e] = sim_bits_of(x);
        return;
    }
    uint64_t half = sim_small_from(format, SIM_TO_NEAREST, x);
    unsigned shift = 16 * (e % 2);
    *registers[e / 2] &= ~(UINT64_C(0xffff) << shift);
    *registers[e / 2] |= half << shift;
}

static void multiply_registers(void *brought[LANES])
{
    const sim_mma *mma = ((mma_access *)brought[0])->mma;
    unsigned p = 4 / bytes_of(mma->format);
    unsigned for_d = registers_of(16 * 8, mma->sum);
    unsigned for_a = registers_of(16 * mma->k, mma->format);
    operands o;
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t **a = ((mma_access *)brought[lane])->registers + for_d;
        uint64_t **b = a + for_a, **c = b + for_a / 2;
        for (unsigned e = 0; e < for_a * p; e++) {
            place at = place_in_a(lane, e, p);
            o.a[at.row][at.column] = in_registers(a, e, mma->format);
        }
        for (unsigned e = 0; e < for_a / 2 * p; e++) {
            place at = place_in_b(lane, e, p);
            o.b[at.row][at.column] = in_registers(b, e, mma->format);
        }
        for (unsigned e = 0; e < 4; e++) {
            place at = place_in_c(lane, e);
            o.c[at.row][at.column] = in_registers(c, e, mma->sum);
        }
    }
    multiply(&o, mma->k);
    RAISE(product, sim_self, (uint64_t)16 * 8 * mma->k);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned e = 0; e < 4; e++) {
            place at = place_in_c(lane, e);
            to_registers(((mma_access *)brought[lane])->registers, e, mma->sum,
                         o.c[at.row][at.column]);
        }
}

void sim_mma_run(const sim_mma *mma, uint64_t **registers, uint32_t site)
{
    mma_access own = {mma, registers};
    sim_warp_together(multiply_registers, &own, NULL, 0, site);
}
