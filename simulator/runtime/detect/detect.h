/**
 * @file detect.h
 * @brief Races, bounds and uninitialised reads: what detect.c hands on.
 *
 * The words are those of the literature. A **vector clock** (Mattern, Fidge
 * 1988; after Lamport 1978) holds for each thread the time up to which all that
 * it did *happens before* now. A **release** stores its thread's vector clock
 * with a flag, an **acquire** joins that of the flag to its own thread's. An
 * **epoch** is one thread and one time, all that need be kept of an access
 * (FastTrack, Flanagan and Freund 2009). A **shadow cell** keeps the epochs of
 * the latest accesses to a word (as in ThreadSanitizer). Two accesses that
 * conflict and of which none happens before the other are a race.
 *
 * A GPU has too many threads for a vector clock of each, so here
 *
 * - the threads of a block share one clock, which grows with each barrier,
 *   __syncwarp, fence and arrival. A barrier orders all of them, so an epoch
 *   before `barrier_clock` happens before now: one comparison, and no joins;
 * - below that there are vector clocks of the lanes of a warp, of the warps of
 *   a block (block_races.c), and of the blocks of a launch (happens_before.c,
 *   which has them as intervals of blocks);
 * - what is not kept exactly counts as ordered. That may hide a race and never
 *   invents one.
 */
#ifndef DETECT_H
#define DETECT_H

#include "../core/core.h"

/** The number of a worker's block among those that may run at once. */
static inline uint64_t block_of(const sim_worker *w)
{
    return sim_now.first_block + w->block_number;
}

/** Is this address just below the stack of the lane that runs? */
static inline bool sim_stack_is_full(const sim_worker *w, uintptr_t address)
{
    return w->stack_low - address - 1 < 65536;
}

/** Asks for the events before main(); simcc names it to the linker. */
void sim_detect_watch(void);
void sim_coverage_watch(void); /**< the same, with SIM_COVERAGE=1 */

/* ---- what is kept for a worker ------------------------------------------- */

typedef struct sim_shared_cell sim_shared_cell;       /**< see block_races.c */
typedef struct sim_global_cell sim_global_cell;       /**< the same */
typedef struct sim_global_row sim_global_row;         /**< the same */
typedef struct sim_shared_atomics sim_shared_atomics; /**< the same */
typedef struct sim_sections sim_sections;             /**< the same */

#define MAX_CLOCK 15 /**< releases of a block that are told apart */

/** Of a barrier, the latest: who waits for one before these acquires the later
 *  one in its place, too. */
#define PHASES 4

/** How many flags a thread has released; see grid_races.c. */
typedef struct {
    uint32_t barrier_clock; /**< since which barrier */
    uint32_t releases;      /**< how many */
} sim_thread_releases;

/** All but the counts of releases are NULL in plain mode. */
struct sim_shadow {
    /* The block among others. */
    uint32_t releases;              /**< flags that it has released */
    uint32_t barrier_releases;      /**< the same, at its last barrier */
    uint32_t releases_differ;       /**< barrier clock since when threads have
                                         released flags */
    uint32_t epochs[MAX_CLOCK + 1]; /**< of the block, at each clock; 0: none */
    sim_thread_releases *thread_releases; /**< of each thread */

    /* Happens-before in the block: see block_races.c. */
    uint32_t (*lane_clocks)[LANES][LANES]; /**< [warp][lane]: vector clock of a
                                                lane, over those of its warp */
    uint32_t (*warp_clocks)[MAX_WARPS];    /**< [warp]: vector clock of a warp,
                                                over those of its block */
    uint32_t (*loaded_clocks)[MAX_WARPS];  /**< [warp]: of the flags that it has
                                                loaded; a fence acquires it */
    uint32_t (*flag_clocks)[MAX_WARPS];    /**< [word]: what was released with
                                                a flag there */
    uint32_t fence_clocks[MAX_WARPS];      /**< of each warp's latest fence */
    uint32_t fence_block;                  /**< the latest block with a fence */
    uint32_t (*phase_clocks)[MAX_WARPS];   /**< [warp]: of barriers that are
                                                objects for which it waited */
    uint32_t (*product_clocks)[MAX_WARPS]; /**< [warp]: of its four warps, when
                                                their latest wgmma ended */
    uint32_t (*arriving)[MAX_WARPS];  /**< [barrier]: of those who arrive */
    uint32_t (*arrived)[MAX_WARPS];   /**< [barrier and phase]: at its end */
    uint32_t *arrival_clocks;         /**< [thread]: vector clock of what
                                           arrivals at a barrier released */
    uint32_t last_arrival[MAX_WARPS]; /**< clock of each warp's latest one */
    uint32_t *acquire_clock;          /**< [thread]: of its latest acquire */
    sim_sections *sections;           /**< [thread]: what it did in locks */
    uint32_t lock_block;              /**< the latest block with a lock */

    /* Shadow cells. */
    sim_shared_cell *cells; /**< of shared memory: of all words, then of all
                                 bytes where that is needed */
    sim_shared_atomics *atomics;   /**< the same of atomics */
    sim_global_cell *global_cells; /**< of words of global memory */
    sim_global_row *global_rows;   /**< of lines of global memory */
    uint8_t *array_map;            /**< per word: bytes inside shared arrays */
    uint32_t *read_shared; /**< per word: barrier clock since when two warps
                                have read it */
    size_t shared_words;   /**< of static and dynamic memory together */
};

/* ---- accesses.c: what one access shows alone ----------------------------- */

/** The events, as core.h says. */
void sim_check_refused(sim_worker *w, unsigned space, uint64_t address,
                       bool aligned, unsigned bytes, unsigned op,
                       uint32_t site);
void sim_check_uninitialised(sim_worker *w, uintptr_t address, uint64_t what,
                             uint32_t site);
void sim_check_copies(sim_worker *w, uint64_t offset, unsigned bytes,
                      unsigned op, uint32_t site);

/* ---- block_races.c: races between the threads of a block ----------------- */

/** Allocate the shadow of a worker. */
void sim_shadow_open(sim_worker *w);

/** Check one request to shared memory. */
void sim_check_shared(sim_worker *w, const sim_request *r);

/** What is said of a plain read that sim_is_tentative(). */
extern const char sim_looks_only[];

/** What is wrong where two threads store to one word, or one reads what the
 *  other stores, and no barrier would help; NULL: nothing of that kind.
 *  @param own  the one that stores has read it at the other's place, too */
const char *sim_statement_wrong(uint32_t site, uint32_t other, bool stores,
                                bool own);

/** Check one request to global memory against the rest of its block. */
void sim_check_block(sim_worker *w, const sim_request *r);

/** Lanes of a warp synchronise in a __syncwarp: the event. */
void sim_block_sync(sim_worker *w, unsigned warp, uint32_t lanes);

/** A thread arrives at a barrier that is an object, a release: the event. */
void sim_block_arrive(sim_worker *w, unsigned thread, unsigned number);

/** Products of four warps, from warp @p first on, have ended: who arrives
 *  somewhere then does so for all four. The event. */
void sim_block_products(sim_worker *w, unsigned first);

/** All have: the event. */
void sim_block_phase(sim_worker *w, unsigned number, uint32_t phase);

/** A thread has waited there for a phase, an acquire of what was released up to
 *  its end: the event. */
void sim_block_waited(sim_worker *w, unsigned thread, unsigned number,
                      uint32_t phase);

/** A warp has executed a fence: it acquires what it has loaded from flags, and
 *  what it stores to flags later is a release. */
void sim_block_fence(sim_worker *w, unsigned warp);

/* ---- grid_races.c: races between blocks, launches and copies ------------- */

/** Check one request to global memory against all other blocks. */
void sim_check_global(sim_worker *w, const sim_request *r);

/** A launch begins. */
void sim_check_launch(void);

/** In a program with loads through the read-only cache: note what the launch
 *  writes, and check these loads. */
void sim_check_read_only(sim_worker *w, const sim_request *r);

/** Check a copy by host code against launches that may run meanwhile. */
void sim_check_moved(uintptr_t start, size_t bytes, bool write);

/** Has the latest launch stored here, not by an atomic or a volatile store? */
bool sim_is_stored(uintptr_t address);

/** The event: what is kept of a buffer is not needed any more. */
void sim_check_freed(uintptr_t start, size_t bytes);

/* ---- happens_before.c: which block has waited for which ------------------ */

/** How the accesses of two blocks stand to each other. */
typedef enum {
    ORDER_CONCURRENT, /**< they come in any order, or at once */
    ORDER_BEFORE,     /**< one happens before the other */
    ORDER_NO_RELEASE, /**< it would, but no fence comes before the flag */
    ORDER_NO_ACQUIRE, /**< it would, but no fence comes behind the flag */
    ORDER_TICKET      /**< the same, and the flag is a ticket, behind whose
                           drawing the block has met: as in CUDA's guide */
} sim_order;

#define LAST_EPOCH 0xfffffffeu
#define MOST_EPOCHS ((uint32_t)1 << 22) /**< with a clock above 0 */

/** Forget everything: a launch begins. */
void sim_order_reset(void);

/**
 * The epoch of what @p block does at @p clock, as a number, 1 to LAST_EPOCH.
 *
 * At clock 0, before its first release, that is the block's number + 1; later
 * epochs get new numbers, from LAST_EPOCH down, each time.
 */
uint32_t sim_epoch(uint64_t block, uint32_t clock);

/** The block of an epoch. */
uint64_t sim_epoch_block(uint32_t number);

/** Block @p block is about to write a flag, its @p number th (from 1), by an
 *  atomic or volatile store. */
void sim_order_release(uint64_t block, uint32_t number, uint64_t address,
                       bool fenced);

/** Block @p block has read a flag by an atomic operation (a @p ticket) or
 *  volatile load. */
void sim_order_acquire(uint64_t block, uint64_t address, bool ticket);

/** Block @p block has executed a fence, or a @p barrier, behind all that it has
 *  read. */
void sim_order_fence(uint64_t block, bool barrier);

/** Does one of two epochs happen before the other? */
sim_order sim_order_between(uint32_t a, uint32_t b);

/** Does one epoch happen before what the block of the other does now, with or
 *  without fences? */
bool sim_happens_before(uint32_t earlier, uint32_t later);

/** Has @p block acquired anything from any block, or any block from it? */
bool sim_order_any(uint64_t block);

/* ---- crash.c: signals ---------------------------------------------------- */

/** Catch SIGSEGV and its like from now on. */
void sim_crash_watch(void);

/** Give the calling OS thread a stack for the handler. */
void sim_crash_stack(void);

#endif
