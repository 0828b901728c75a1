/**
 * @file ptx_memory.h
 * @brief ld, st, atom and red of inline PTX, with their order and scope.
 */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/** Such an instruction, taken from its name. */
typedef struct {
    enum { PTX_LOAD, PTX_STORE, PTX_ATOMIC, PTX_REDUCE } kind;
    bool strong;           /**< .volatile, .relaxed and what has an order */
    bool acquire, release; /**< .acq_rel is both */
    int scope;             /**< of sim_fence() */
    bool shared;           /**< the address is an offset in shared memory */
    int op;                /**< of sim_atomic() */
    unsigned bytes;        /**< of an element */
    unsigned count;        /**< of elements: .v2, .v4 */
    bool is_signed;        /**< a load makes it wider with its sign */
} sim_ptx_access;

#define PTX_ELEMENTS 4 /**< most of an access */

/** Read "ld.acquire.gpu.global.u32". @return it is such a name, that we know */
bool sim_ptx_find_access(const char *name, sim_ptx_access *access);

/** How many values it has: results or sources, beside its address. */
unsigned sim_ptx_values(const sim_ptx_access *access);

/**
 * Run it.
 *
 * @param value  sources; of a load or an atomic operation the results come
 *               here; of a compare-and-swap source 0 is compared, 1 stored
 */
void sim_ptx_access_run(const sim_ptx_access *access, uint64_t address,
                        uint64_t value[PTX_ELEMENTS], uint32_t site);

#endif
