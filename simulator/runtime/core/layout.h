/**
 * @file layout.h
 * @brief Which lane, or which place in shared memory, has which element of a
 * matrix that tensor cores multiply. These functions need no simulator.
 *
 * With g = lane / 4 and t = lane % 4 (PTX ISA, "Warp Level Matrix
 * Instructions"), and p elements in a register, 2 of 16 bits or 1 of TF32:
 *
 * - A, 16 x k, register r: row g, or g + 8 if r is odd; from column p * t on,
 *   behind the first half of the columns if r > 1.
 * - B, k x 8, register r: column g; from row p * t on, behind the first half of
 *   the rows if r is 1.
 * - C, 16 x n, element e: row g, or g + 8 if e / 2 is odd; column 2 * t + e % 2
 *   of the eight that e / 4 numbers. A warp of wgmma has 16 of the rows.
 *
 * wgmma reads matrices in shared memory. A descriptor has the address of one
 * and two distances, in units of 16 bytes, and how it is swizzled. With 128
 * bytes, 64 elements, in a row:
 *
 *     k runs fastest        element (r, k): row r of 128 bytes, 8 rows are a
 *                           piece, pieces lie `stride` apart; k < 64
 *     r runs fastest        element (r, k): row k of 128 bytes has 64 of the r;
 *                           8 rows are a piece, pieces lie `stride` apart, and
 *                           the next 64 of the r `leading` further
 *
 * In a swizzled matrix bits 4 to 6 of an address are turned by bits 7 to 9 (128
 * bytes), 7 to 8 (64 bytes) or 7 (32 bytes).
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/** A place in a matrix. */
typedef struct {
    unsigned row, column;
} place;

/** Element @p e of a lane in a 16 x k block of A, @p p of them a register. */
static inline place place_in_a(unsigned lane, unsigned e, unsigned p)
{
    unsigned r = e / p;
    return (place){lane / 4 + 8 * (r % 2),
                   p * (lane % 4) + e % p + 4 * p * (r / 2)};
}

static inline place place_in_b(unsigned lane, unsigned e, unsigned p)
{
    return (place){p * (lane % 4) + e % p + 4 * p * (e / p), lane / 4};
}

static inline place place_in_c(unsigned lane, unsigned e)
{
    return (place){lane / 4 + 8 * (e / 2 % 2),
                   8 * (e / 4) + 2 * (lane % 4) + e % 2};
}

/** Element @p e of a lane in an 8 x 8 matrix of ldmatrix: which of its rows in
 *  memory, and where there. */
static inline place place_in_rows(unsigned lane, unsigned e, bool transposed)
{
    unsigned row = lane / 4, column = 2 * (lane % 4) + e;
    return transposed ? (place){column, row} : (place){row, column};
}

/** Offset in shared memory of element (r, k), r a row of a or a column of b. */
static inline uint32_t offset_of(uint64_t descriptor, bool r_fastest,
                                 unsigned r, unsigned k)
{
    uint32_t start = (uint32_t)(descriptor & 0x3fff) << 4;
    uint32_t leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4;
    uint32_t stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4;
    unsigned swizzle = descriptor >> 62; /* 0 none, 1, 2, 3: 128, 64, 32 */
    unsigned bytes = swizzle ? 256u >> swizzle : 16; /* of a row */
    unsigned fast = (r_fastest ? r : k) * 2, slow = r_fastest ? k : r;
    uint32_t at = start + slow / 8 * stride + slow % 8 * bytes + fast % bytes +
                  fast / bytes * leading;
    unsigned mask = swizzle ? (16u >> swizzle) - 1 : 0;
    return at ^ (at >> 7 & mask) << 4;
}

#endif
