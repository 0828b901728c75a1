#include "cases.h"
#include <stdint.h>

// feature: ldmatrix and stmatrix: 1, 2, 4 matrices, transposed or not;
// __cvta_generic_to_shared, cvta.to.shared
// counted only: inline PTX needs clang

/* Shared memory holds 0, 1, 2 ... in rows of 8 numbers of 16 bits. The lanes
 * name rows in reverse order, so lane 8 * m + i has row 31 - (8 * m + i). */
__global__ void load(unsigned *out, uint16_t *stored)
{
    __shared__ alignas(16) uint16_t rows[32][8];
    __shared__ alignas(16) uint16_t copy[32][8];
    int lane = threadIdx.x;
    for (int i = 0; i < 8; i++) {
        rows[lane][i] = lane * 8 + i;
        copy[lane][i] = 0;
    }
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&rows[31 - lane][0]);
    unsigned r[14];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(r[0])
                 : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[1]), "=r"(r[2])
                 : "r"(at));
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
        : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6])
        : "r"(at)
        : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=r"(r[7]), "=r"(r[8]), "=r"(r[9]), "=r"(r[10])
                 : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(r[11])
                 : "r"(at));
    /* The first lane's row is the last one: 16 bytes less is the one before. */
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2+-16];"
                 : "=r"(r[12]), "=r"(r[13])
                 : "r"(at));
    for (int i = 0; i < 14; i++)
        out[i * 32 + lane] = r[i];

    uint64_t there;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(there) : "l"(&copy[lane][0]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
                 "{%1,%2,%3,%4};"
                 :
                 : "r"((unsigned)there), "r"(r[3]), "r"(r[4]), "r"(r[5]),
                   "r"(r[6]));
    __syncthreads();
    for (int i = 0; i < 8; i++)
        stored[lane * 8 + i] = copy[lane][i];
}

/** Two neighbouring elements of a matrix, as a lane gets them. */
static unsigned expected(int lane, int matrix, bool transposed, int shift)
{
    int number[2];
    for (int e = 0; e < 2; e++) {
        int row = lane / 4, column = lane % 4 * 2 + e;
        int from = 8 * matrix + (transposed ? column : row);
        number[e] = (31 - from - shift) * 8 + (transposed ? row : column);
    }
    return number[0] | number[1] << 16;
}

CASE(ldmatrix)
{
    unsigned *out = shared_zeros<unsigned>(14 * 32);
    uint16_t *stored = shared_zeros<uint16_t>(32 * 8);
    load<<<1, 32>>>(out, stored);
    CHECK_CUDA(cudaDeviceSynchronize());
    int matrix[] = {0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 1};
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < 14; i++)
            CHECK_EQUAL(out[i * 32 + lane],
                        expected(lane, matrix[i], i >= 7 && i <= 11, i >= 12));
        for (int i = 0; i < 8; i++)
            CHECK_EQUAL(stored[lane * 8 + i], (31 - lane) * 8 + i);
    }
}
