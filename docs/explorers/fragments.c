/**
 * @file fragments.c
 * @brief Which lane and register, or which place in shared memory, has which
 *        element of a matrix for the tensor cores; what ldmatrix costs.
 *
 * Layouts and cost are the simulator's: layout.h and cost.c.
 */
#include "../../simulator/runtime/core/layout.h"
#include "../../simulator/runtime/count/cost.c"

#define PIECE 8              /**< elements of 16 bits: 16 bytes */
#define WARPGROUP 128        /**< threads of wgmma */
#define DEPTH 16             /**< columns of A, rows of B */
#define PANEL 64             /**< rows of A, columns of B in a row of memory */
#define MOST_ELEMENTS 16384  /**< 64 x 256 */
#define MATRICES 4           /**< of an ldmatrix */
#define LANES_OF_A_MATRIX 8  /**< name its rows */
#define ALL_OF_A_MATRIX 0xff /**< the same as a mask */

/** What is shown. */
enum { MMA_A, MMA_B, MMA_C, LDMATRIX, TRANSPOSED, WGMMA_C, WGMMA_A, WGMMA_B };

/** The page reads this as an array of 32-bit numbers: keep the order. */
typedef struct {
    uint32_t elements;
    uint32_t each;            /**< elements of a lane; 0: lanes have none */
    uint32_t wavefronts;      /**< of an ldmatrix */
    uint32_t least;           /**< if every matrix took one */
    uint32_t pieces;          /**< of a row in memory, its padding too */
    uint32_t exchange;        /**< pieces that XOR exchanges; 1: none */
    uint32_t taken[MATRICES]; /**< wavefronts of each matrix */
    uint32_t banks[MATRICES]; /**< that it takes, a bit for each */
    uint32_t row[MOST_ELEMENTS];
    uint32_t column[MOST_ELEMENTS];
    uint32_t lane[MOST_ELEMENTS]; /**< that has the element */
    uint32_t slot[MOST_ELEMENTS]; /**< which of that lane's it is */
    uint32_t at[MOST_ELEMENTS];   /**< offset in shared memory (elements) */
} fragments;

static fragments result;

/** Note an element, what of it matters. */
static void add(place p, uint32_t lane, uint32_t slot, uint32_t at)
{
    uint32_t i = result.elements++;
    result.row[i] = p.row;
    result.column[i] = p.column;
    result.lane[i] = lane;
    result.slot[i] = slot;
    result.at[i] = at;
}

/** The elements of each lane. */
static void find_owners(uint32_t what, uint32_t n)
{
    uint32_t lanes = what == WGMMA_C ? WARPGROUP : LANES;
    result.each = what == MMA_A ? 8 : what == WGMMA_C ? n / 2 : 4;
    for (uint32_t lane = 0; lane < lanes; lane++)
        for (uint32_t e = 0; e < result.each; e++) {
            place p = what == MMA_A   ? place_in_a(lane, e, 2)
                      : what == MMA_B ? place_in_b(lane, e, 2)
                                      : place_in_c(lane % LANES, e);
            p.row += lane / LANES * 16;
            add(p, lane, e, 0);
        }
}

/** Have an ldmatrix load 16 x 16 elements, as the chapters do: lane l names row
 *  l % 16, and there piece l / 16. */
static void load_matrices(bool transposed, bool swizzle)
{
    uint32_t pieces = result.pieces, at[LANES];
    uint64_t access[LANES];
    result.exchange = swizzle ? pieces & -pieces : 1;
    if (result.exchange > LANES_OF_A_MATRIX)
        result.exchange = LANES_OF_A_MATRIX;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t row = lane % 16, piece = lane / 16 ^ row % result.exchange;
        at[lane] = (row * pieces + piece) * PIECE;
        access[lane] = ACCESS(SPACE_SHARED, OP_LOAD, 16) |
                       (uint64_t)FLAVOUR_MATRIX << FLAVOUR_SHIFT | 2 * at[lane];
    }
    sim_shared_cost cost = sim_shared_request(
        access, ALL_LANES, sim_pattern_of(access, ALL_LANES));
    result.wavefronts = cost.wavefronts;
    result.least = cost.least;
    for (uint32_t i = 0; i < MATRICES; i++) {
        bank_queues queues;
        uint32_t lanes = (uint32_t)ALL_OF_A_MATRIX << i * LANES_OF_A_MATRIX;
        result.taken[i] = fill_queues(access, lanes, 4, false, &queues, NULL);
        for (uint32_t bank = 0; bank < BANKS; bank++)
            result.banks[i] |= (uint32_t)(queues.count[bank] > 0) << bank;
    }
    result.each = 2 * MATRICES;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t e = 0; e < result.each; e++) {
            place p = place_in_rows(lane, e % 2, transposed);
            uint32_t named = e / 2 * LANES_OF_A_MATRIX + p.row;
            add((place){named % 16, named / 16 * PIECE + p.column}, lane, e,
                at[named] + p.column);
        }
}

/** What wgmma reads of a matrix that lies as in tensor_05: rows of 128 bytes,
 *  swizzled, and 64 of them before the next 64 columns of B begin.
 *  @param k  the first of the 16 steps */
static void read_matrix(uint32_t what, uint32_t n, uint32_t k)
{
    bool is_b = what == WGMMA_B;
    uint32_t start = k * 2 * (is_b ? PANEL : 1); // bytes
    uint64_t descriptor = (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 |
                          (is_b ? PANEL * 128 >> 4 : 0) << 16 | start >> 4;
    for (uint32_t r = 0; r < (is_b ? n : PANEL); r++)
        for (uint32_t step = 0; step < DEPTH; step++)
            add(is_b ? (place){step, r} : (place){r, step}, 0, 0,
                offset_of(descriptor, is_b, r, step) / 2);
}

/**
 * @param what     one of the above
 * @param row      elements of a row in memory, for ldmatrix
 * @param pad      elements behind each row; together they are whole pieces
 * @param swizzle  1: piece i of row r lies at i ^ r % 8, as far as rows go
 * @param n        columns of B and C of wgmma
 * @param k        0, 16, 32, 48: where its 16 steps of K begin
 */
__attribute__((export_name("explore"))) const fragments *
explore(uint32_t what, uint32_t row, uint32_t pad, uint32_t swizzle, uint32_t n,
        uint32_t k)
{
    result.elements = result.each = result.wavefronts = result.least = 0;
    result.pieces = (row + pad + PIECE - 1) / PIECE;
    for (uint32_t i = 0; i < MATRICES; i++)
        result.taken[i] = result.banks[i] = 0;
    if (what == LDMATRIX || what == TRANSPOSED)
        load_matrices(what == TRANSPOSED, swizzle);
    else if (what == WGMMA_A || what == WGMMA_B)
        read_matrix(what, n, k);
    else
        find_owners(what, n);
    return &result;
}
