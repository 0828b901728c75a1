/**
 * @file tensor.h
 * @brief Tensor cores: products of small matrices that lie in the registers of
 * a warp, and the instructions that bring them there.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

/** Note an access of the running lane, as a hook does; flavour of access.h. */
void sim_note(uintptr_t address, unsigned bytes, unsigned op, unsigned flavour,
              uint32_t site);

/** A number of 16 bits, TF32 or float as it lies in a register. */
float sim_tensor_value(int format, uint32_t bits);

/** Most registers of a lane in one PTX instruction: results and operands. */
#define TENSOR_REGISTERS 16

/**
 * ldmatrix, stmatrix: 8 x 8 matrices of 16 bits in shared memory.
 *
 * @param count       1, 2, 4 matrices
 * @param transposed  .trans
 * @param registers   one for each matrix
 * @param row         address of the row that the running lane names
 */
void sim_tensor_load(unsigned count, bool transposed, uint64_t **registers,
                     uintptr_t row, uint32_t site);
void sim_tensor_store(unsigned count, bool transposed, uint64_t **registers,
                      uintptr_t row, uint32_t site);

/** An mma instruction: d = a * b + c, where a is 16 x k and b is k x 8. */
typedef struct {
    const char *name; /**< all of it */
    unsigned k;       /**< as above */
    int format;       /**< of a and b */
    int sum;          /**< of c and d: SIM_FLOAT or SIM_HALF */
} sim_mma;

/** Registers of a lane: d, a, b, c in this order. @return how many */
unsigned sim_mma_registers(const sim_mma *mma);

/** Do it. @param registers  as many as sim_mma_registers() says */
void sim_mma_run(const sim_mma *mma, uint64_t **registers, uint32_t site);

/** A float32 of its bits, and the other way. */
float sim_float_of(uint32_t bits);
uint32_t sim_bits_of(float x);

/** .ftz: a denormal is 0, with its sign. */
static inline float sim_flush(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x;
}

#endif
