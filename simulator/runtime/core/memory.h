/**
 * @file memory.h
 * @brief Device memory: one large reservation, cut into buffers.
 *
 * The arena is 256 GiB of address space, of which only what is allocated and
 * touched takes real memory. It is divided into granules of 64 KiB. A buffer
 * begins in a granule of its own and is followed by at least one empty
 * granule, so one look at a table says whether an address is inside a buffer,
 * and an index that runs off the end does not reach the next buffer.
 *
 * The L1 looks at the lower 32 bits of an address (l1.c), so these must be the
 * same in every run: the arena begins at a multiple of 4 GiB, and a buffer at
 * the next multiple of 2 MiB, where cudaMalloc() puts those of 1 MiB and more.
 *
 * The program's own image, with its __device__ variables and constants, has a
 * table of the same kind, and so has each piece of host memory that was
 * registered.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ARENA_SHIFT
#define ARENA_SHIFT 38 /**< 256 GiB of address space, not of memory */
#endif
#define ARENA_BYTES ((size_t)1 << ARENA_SHIFT)
#define GRANULE_SHIFT 16 /**< 64 KiB */

/** What detect/ keeps of a granule. */
typedef struct sim_granule_shadow sim_granule_shadow;

/** What is in 64 KiB of the arena. */
typedef struct {
    uintptr_t low;              /**< first byte of the buffer */
    size_t bytes;               /**< of the whole buffer; 0: no buffer here */
    sim_granule_shadow *shadow; /**< NULL: not touched yet */
    uint32_t initialised; /**< 1: every byte of the buffer in this granule */
    uint32_t written;     /**< the latest launch whose kernel stored here */
} sim_granule;

/** How a buffer came to be. */
typedef enum {
    BUFFER_DEVICE, /**< cudaMalloc */
    BUFFER_HOST,   /**< cudaMallocHost, cudaHostAlloc */
    BUFFER_MANAGED /**< cudaMallocManaged */
} sim_buffer_kind;

#define ARRAY_NAME 32 /**< bytes for the name of an array, with its end */

/** What sim_name_array() says about the contents of a buffer. */
typedef struct {
    char name[ARRAY_NAME]; /**< "": nobody named it */
    uintptr_t start;       /**< first element */
    size_t element;        /**< bytes of one */
    int64_t cols;          /**< elements of a row that belong to it */
    int64_t ld;            /**< elements from row to row; 0: one dimension */
} sim_array_name;

/** One allocation. */
typedef struct {
    uintptr_t start;      /**< as the allocation returned it */
    size_t size;          /**< as it was asked for (bytes) */
    sim_buffer_kind kind; /**< who asked for it */
    const char *file;     /**< of the allocation, may be NULL */
    int line;             /**< of the allocation */
    bool live;            /**< false: freed */
    sim_array_name array; /**< what is in it */
} sim_allocation;

extern uintptr_t sim_arena;       /**< first byte */
extern sim_granule *sim_granules; /**< of the arena */
extern uintptr_t sim_image;       /**< first byte of the program */
extern size_t sim_image_bytes;    /**< of the program and its data */
extern uintptr_t sim_image_base;  /**< what the linker's addresses begin at */

/** Is this in a __device__, __constant__ or __managed__ variable? False in
 *  plain mode. */
bool sim_is_variable(uintptr_t address);

/** Is it in a __managed__ one? */
bool sim_is_managed_variable(uintptr_t address);

/** Device memory becomes accessible: a launch or a copy begins. */
void sim_memory_enter(void);

/** It ends.
 *  @param launched  a kernel ran, nobody has waited for it yet, and it is not
 *                   one that the host may talk with
 *  @param work      threads that ran, or KiB that were copied */
void sim_memory_leave(bool launched, uint64_t work);

/** Does a launch or a copy run? */
bool sim_memory_is_used(void);

/** The program has waited for its kernels: managed memory is there again. */
void sim_memory_settle(void);

/** Reserve the arena; exits 1 with a message if that is impossible. */
void sim_memory_open(void);

/** Is @p address in the arena? */
static inline bool in_arena(uintptr_t address)
{
    return address - sim_arena < ARENA_BYTES;
}

/** See sim_stable_address(). */
uintptr_t sim_outer_position(uintptr_t address);

/** An address of device memory as far as it is the same in every run: outside
 *  the arena, where the system puts things as it likes, a position. */
static inline uintptr_t sim_stable_address(uintptr_t address)
{
    return in_arena(address) ? address : sim_outer_position(address);
}

/** The granule of an address outside the arena. */
sim_granule *sim_outer_granule(uintptr_t address);

/** The granule of an address that kernels may use. */
static inline sim_granule *granule_of(uintptr_t address)
{
    if (in_arena(address))
        return &sim_granules[(address - sim_arena) >> GRANULE_SHIFT];
    return sim_outer_granule(address);
}

/** What kernels may do with an address outside the arena. */
typedef enum {
    OUTER_HOST,     /**< nothing: it belongs to the host */
    OUTER_CONSTANT, /**< a __constant__ variable */
    OUTER_DEVICE    /**< a __device__ variable, a table, registered memory */
} sim_outer_kind;

/** To whom does an address outside the arena belong? */
sim_outer_kind sim_outer(uintptr_t address);

/** Let kernels use host memory. @return false: partly registered already */
bool sim_register_host(const void *pointer, size_t bytes);

/** Undo it. @return false: not the start of registered memory */
bool sim_unregister_host(const void *pointer);

/** Is this host memory that was registered? */
bool sim_is_registered(const void *pointer);

/** Allocate; NULL if there is not that much memory. */
void *sim_allocate(size_t bytes, sim_buffer_kind kind, const char *file,
                   int line);

/** Free. @return false: not the start of a live buffer of these kinds */
bool sim_release(void *pointer, bool host);

/** Let kernels use a buffer, or not, as if it were freed; nothing in it counts
 *  as written. */
void sim_open(const void *pointer, bool open);

/** Find the live buffer that holds @p address. @return false: none does */
bool sim_find(const void *address, sim_allocation *found);

/** The buffer that is nearest to @p address, if it was freed the latest one.
 *  @return false: there is none */
bool sim_nearest(uintptr_t address, sim_allocation *nearest);

/** How many buffers of lower addresses has the same line allocated? */
unsigned sim_before_on_line(const sim_allocation *b);

/** May both host and kernels use this at any time? Pinned, registered and
 *  managed memory. */
bool sim_is_for_both(uintptr_t address);

/** Limit of all buffers together, and what is left of it (bytes). */
void sim_memory_limits(size_t *total, size_t *left);

/** Free all buffers. */
void sim_memory_reset(void);

/** Note that something was written here; outside the arena: no effect. */
void sim_mark_initialised(const void *pointer, size_t bytes);

/** A copy is as initialised as what it is a copy of. */
void sim_copy_marks(const void *to, const void *from, size_t bytes);

/** Has all of this been written? @p bytes up to 16, in one granule. */
bool sim_is_initialised(uintptr_t address, unsigned bytes);

/** Words of device memory, [pointer, pointer + bytes), that nothing has
 *  written.
 *  @param first  receives the first of at least four in a row, the most that
 *                the padding of a structure may be and one more; 0: none */
size_t sim_count_uninitialised(const void *pointer, size_t bytes,
                               uintptr_t *first);

/** The same for one access of a kernel, which marks up to four words. */
void sim_mark_words(uintptr_t address, unsigned bytes);

/** Before a launch: note which granules have been written entirely. */
void sim_find_initialised(void);

#endif
