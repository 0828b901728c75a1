/**
 * @file sites.h
 * @brief What is known about the program: sites, kernels, shared arrays.
 */
#ifndef SITES_H
#define SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/sim.h"

/** Operations that a basic block is made of, in the order of op_names. */
enum {
    OPS_FFMA,
    OPS_FADD,
    OPS_FMUL,
    OPS_FDIV,
    OPS_SPECIAL,
    OPS_DOUBLE,
    OPS_INTEGER,
    OPS_BRANCH,
    OPS_KINDS
};

/** One place in the source. */
typedef struct {
    char kind;               /**< see sim_module; 0: unknown */
    bool nearby;             /**< the line is the nearest known earlier one */
    char *file;              /**< as given to the compiler */
    int line;                /**< from 1 */
    int column;              /**< from 1, 0: unknown */
    char *callers;           /**< "b.cu:4:2 <- c.cu:9:1" or NULL */
    char *function;          /**< readable name */
    uint16_t ops[OPS_KINDS]; /**< of one lane, kinds 'B' and 'E' */
} sim_site;

/** One __global__ function. */
typedef struct {
    const void *address;   /**< of the function */
    char *name;            /**< "tile<32>" */
    size_t shared_bytes;   /**< static shared memory */
    size_t local_bytes;    /**< arrays in local memory, per thread */
    unsigned most_threads; /**< of a block */
    size_t dynamic_limit;  /**< dynamic shared memory that it may ask for */
    unsigned cluster[3];   /**< blocks of a cluster; 0: the launch says it */
    bool large_clusters;   /**< of more blocks than any GPU has room for */
    sim_pack_fn pack;      /**< for launches by address, or NULL */
} sim_kernel_info;

/** One __shared__ array, as an offset in the block's shared memory. */
typedef struct {
    const char *name;       /**< readable */
    size_t offset;          /**< of its first byte */
    size_t bytes;           /**< of the whole array */
    size_t element;         /**< bytes of one element */
    const char *dimensions; /**< "2 16": elements in each; "": no array */
} sim_array;

/** One above the largest site number; 1 when no module is registered. */
uint32_t sim_site_limit(void);

/** What an entry of the log stands for. */
enum {
    ENTRY_ACCESS, /**< 'A', 'C', 'R' */
    ENTRY_BLOCK,  /**< 'B': a lane enters a basic block */
    ENTRY_BOTH    /**< 'E', 'e', 'r': an access, the first thing in its block */
};

/** ENTRY_... of each site. */
extern uint8_t *sim_entry_kind;

/** Do accesses at the two sites store the same constant? Known of one site. */
bool sim_same_constant(uint32_t a, uint32_t b);

/** Does a load there go through the read-only cache: __ldg, a texture? */
bool sim_is_read_only(uint32_t site);

/** Is there such a load in the program? */
extern bool sim_any_read_only;

/** The site; an empty one for 0 and unknown numbers. */
const sim_site *sim_site_info(uint32_t site);

/** "a.cu:7:5" for a site, "?" if unknown. */
const char *sim_position(uint32_t site);

/** Do two sites stand at one place, as the load and the store of x++? */
bool sim_same_place(uint32_t a, uint32_t b);

/** "line 7" if that is in the same file as @p from, else as above. */
const char *sim_position_from(uint32_t site, uint32_t from);

/** Kernel by address of the function; NULL: unknown. */
sim_kernel_info *sim_kernel_at(const void *address);

/** May a kernel call this? */
bool sim_is_device_function(const void *function);

/** Kernel by what sim_launch() calls; NULL: unknown. */
sim_kernel_info *sim_kernel_of_run(const void *run);

/** Kernel by address; made with default values if unknown. */
sim_kernel_info *sim_kernel_get(const void *address);

/** Largest dynamic_limit of all kernels. */
size_t sim_largest_dynamic_limit(void);

/**
 * Find the shared arrays of the calling OS thread.
 *
 * @param low    receives the address of the first, rounded down to 128
 * @param bytes  receives the distance to the end of the last, a multiple of 16
 */
void sim_find_arrays(uintptr_t *low, size_t *bytes);

/** All shared arrays, sorted by offset. @return how many */
size_t sim_arrays(const sim_array **arrays);

#endif
