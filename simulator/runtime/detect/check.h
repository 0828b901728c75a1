/**
 * @file check.h
 * @brief Races, bounds and uninitialised reads: what detect.c hands on.
 */
#ifndef CHECK_H
#define CHECK_H

#include "../core/events.h"
#include "order.h"

typedef struct sim_shared_cell sim_shared_cell;       /**< see check_shared.c */
typedef struct sim_global_cell sim_global_cell;       /**< the same */
typedef struct sim_global_row sim_global_row;         /**< the same */
typedef struct sim_shared_atomics sim_shared_atomics; /**< the same */

/** Flags that a thread has written; see check_global.c. */
typedef struct {
    uint32_t epoch;    /**< since which barrier */
    uint32_t releases; /**< how many */
} sim_thread_clock;

/** What is kept for a worker. All but the counts of flags are NULL in plain
 *  mode. */
struct sim_shadow {
    uint32_t releases; /**< flags that the block has written; see order.c */
    uint32_t released; /**< the same, at its last barrier */
    uint32_t apart;    /**< epoch in which threads have clocks of their own */
    uint32_t names[MAX_CLOCK + 1]; /**< of the block, at each clock; 0: none */
    sim_thread_clock *clocks;      /**< of each thread */
    uint32_t (*known)[LANES][LANES]; /**< [warp][lane][other]: before this time
                                        all that the other did is in order */
    uint32_t (*ordered)[MAX_WARPS];  /**< [warp][other]: the same of warps that
                                          have set flags in shared memory */
    uint32_t (*looked)[MAX_WARPS];   /**< the same, behind the next fence */
    uint32_t (*told)[MAX_WARPS];     /**< [word][warp]: through a flag there */
    uint32_t fenced[MAX_WARPS];      /**< time of each warp's latest fence */
    uint32_t fences;                 /**< the latest block with a fence */
    sim_shared_cell *cells; /**< shadow of shared memory: of all words, then of
                                 all bytes where that is needed */
    sim_shared_atomics *atomics;   /**< the same of atomics */
    sim_global_cell *global_cells; /**< of words of global memory */
    sim_global_row *global_rows;   /**< of lines of global memory */
    uint32_t *covered; /**< of each thread: what it did before this time,
                            somebody has arrived for */
    uint32_t arrived[MAX_WARPS]; /**< time of each warp's latest arrival */
    uint32_t *flag_time; /**< of each thread: its latest look at a flag */
    uint8_t *array_map;  /**< per word: bytes inside shared arrays */
    uint32_t *settled;   /**< per word: epoch in which reads are known */
    size_t shared_words; /**< of static and dynamic memory together */
};

/** The number of a worker's block among those that may run at once. */
static inline uint64_t block_of(const sim_worker *w)
{
    return sim_now.first_block + w->block_number;
}

/** Asks for the events before main(); simcc names it to the linker. */
void sim_detect_watch(void);

/* ---- accesses.c: events of events.h -------------------------------------- */

void sim_check_refused(sim_worker *w, unsigned space, uint64_t address,
                       bool aligned, unsigned bytes, unsigned op,
                       uint32_t site);
void sim_check_fresh(sim_worker *w, uintptr_t address, uint64_t what,
                     uint32_t site);
void sim_check_early(sim_worker *w, uint64_t offset, unsigned bytes,
                     unsigned op, uint32_t site);

/* ---- check_shared.c ------------------------------------------------------ */

/** Allocate the shadow of a worker. */
void sim_check_open(sim_worker *w);

/** Check one request to shared memory. */
void sim_check_shared(sim_worker *w, const sim_request *r);

/** Check one request to global memory against the rest of its block. */
void sim_check_block(sim_worker *w, const sim_request *r);

/** The event. */
void sim_check_sync(sim_worker *w, unsigned warp, uint32_t lanes);

/** The event. */
void sim_check_arrived(sim_worker *w, unsigned thread);

/** A warp has executed a fence. */
void sim_check_fence(sim_worker *w, unsigned warp);

/* ---- check_global.c ------------------------------------------------------ */

/** Check one request to global memory against all other blocks. */
void sim_check_global(sim_worker *w, const sim_request *r);

/** A launch begins. */
void sim_check_launch(void);

/** In a program with loads through the read-only cache: note what the launch
 *  writes, and check these loads. */
void sim_check_read_only(sim_worker *w, const sim_request *r);

/** Check a copy by host code against launches that may run meanwhile. */
void sim_check_moved(uintptr_t start, size_t bytes, bool write);

/** The event: what is known of a buffer is not needed any more. */
void sim_check_freed(uintptr_t start, size_t bytes);

/* ---- crash.c ------------------------------------------------------------- */

/** Catch SIGSEGV and its like from now on: the event. */
void sim_crash_watch(void);

/** Give the calling OS thread a stack for the handler. */
void sim_crash_stack(void);

#endif
