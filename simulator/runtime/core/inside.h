/**
 * @file inside.h
 * @brief What only files of the core say to each other.
 */
#ifndef INSIDE_H
#define INSIDE_H

#include <float.h>
#include <math.h>
#include <time.h>

#include "core.h"

/** Wait at most so long for a signal. @return as pthread_cond_timedwait() */
static inline int sim_wait_for(pthread_cond_t *signal, pthread_mutex_t *lock,
                               double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(seconds * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(signal, lock, &until);
}

/* ==== A launch begins ===================================================== */

/* ---- memory.c, sites.c, findings.c, turn.c ------------------------------- */

/** Before a launch: note which granules have been written entirely. */
void sim_find_initialised(void);

/** Note that an access of a kernel writes here: up to 16 bytes. */
void sim_mark_written(uintptr_t address, unsigned bytes);

/**
 * Find the shared arrays of the calling OS thread.
 *
 * @param low    receives the address of the first, rounded down to 128
 * @param bytes  receives the distance to the end of the last, a multiple of 16
 */
void sim_find_arrays(uintptr_t *low, size_t *bytes);

/** Begin a launch: count its findings from 0. */
void sim_findings_begin_launch(void);

/** The launch was aborted: counts of its findings depend on luck. */
void sim_findings_aborted(void);

/**
 * A launch of so many blocks begins.
 *
 * @return the number of its first block among those of all launches that may
 * run at the same time; 0: there is no other one
 */
uint64_t sim_turn_begin(uint64_t blocks, const char *name, void *const *frames);

/* ---- fiber.c: many small stacks that take turns on one OS thread --------- */

/** Take an idle fiber, or make one. */
sim_fiber *sim_fiber_take(sim_fiber_pool *pool);

/** Give a fiber back; one in the middle of something is to be reset first. */
void sim_fiber_give(sim_fiber_pool *pool, sim_fiber *fiber);

/** Forget what a fiber was doing: it will start from the beginning. */
void sim_fiber_reset(sim_fiber_pool *pool, sim_fiber *fiber);

/** Where the stack of a fiber begins, which grows downwards. */
uintptr_t sim_fiber_top(uintptr_t low, size_t stack_bytes);

/** Save the present stack pointer in @p from and go on at @p to. */
void sim_fiber_switch(void **from, void *to);

/* ==== Who runs, and who waits ============================================= */

/* ---- worker.c: what a lane that runs can do ------------------------------ */

/** Are these bytes in the shared memory of the worker's block? */
static inline bool in_shared(const sim_worker *w, const void *p, size_t bytes)
{
    uintptr_t fixed = (uintptr_t)p - w->shared_low;
    uintptr_t dynamic = (uintptr_t)p - w->dynamic_low;
    return (fixed < w->shared_bytes && bytes <= w->shared_bytes - fixed) ||
           (dynamic < w->dynamic_bytes && bytes <= w->dynamic_bytes - dynamic);
}

/** Upper part of the keys of a lane inside @p depth device functions. */
static inline uint32_t level_of(uint32_t depth)
{
    return depth < MAX_DEPTH ? (MAX_DEPTH - depth) << DEPTH_SHIFT : 0;
}

/** Stop the running lane in @p state until the scheduler resumes it. */
void sim_yield(sim_worker *w, sim_lane_state state);

/** The running lane, which comes to a place in the source where it may wait.
 *  @return NULL: called by host code */
static inline sim_lane *sim_stop_at(const char *file, int line, uint32_t site)
{
    sim_lane *lane = sim_self->lane;
    if (lane) {
        lane->file = file;
        lane->line = line;
        lane->site = site;
    }
    return lane;
}

/* ---- sched.c: runs one block --------------------------------------------- */

/** Run all threads of one block. @return false: they wait for their grid, or
 * for flags of other blocks, which must have a turn */
bool sim_run_block(sim_worker *w, uint64_t block);

/** Go on with a block. @param together  its grid has come
 *  @return as sim_run_block() */
bool sim_continue_block(sim_worker *w, bool together);

/** Leave the block as it is: the launch has ended. */
void sim_abandon_block(sim_worker *w);

/* ---- shuffle.c: who goes first: CUDA promises no order ------------------- */

/** As sim_who_goes(), where SIM_ORDER asks for another order. */
uint64_t sim_shuffled(uint64_t turn, uint64_t count, uint64_t salt);

/**
 * The one of @p count that goes when @p turn others have gone before.
 *
 * @param who   what is counted: the order of others may stay
 * @param salt  others are in another order
 * @return as SIM_ORDER says: 0 @p turn, 1 the last first, block:7 this one
 *         first and then the others as they come, else a permutation, the
 *         same each time
 */
static inline uint64_t sim_who_goes(sim_goers who, uint64_t turn,
                                    uint64_t count, uint64_t salt)
{
    return sim_settings.whose & who ? sim_shuffled(turn, count, salt) : turn;
}

/* ---- merge.c: makes requests of warps from the accesses of lanes --------- */

/** Merge the log of warp @p warp and raise its requests.
 *  @param all  also what lanes that are not full may still join */
void sim_merge(sim_worker *w, unsigned warp, bool all);

/* ---- warp.c: what lanes wait for, alone and together --------------------- */

/** Complete the warp operations for which all lanes have come.
 *  @return any was completed */
bool sim_warp_complete(sim_worker *w, unsigned warp);

/** Where a lane waits, for a finding. */
sim_place sim_place_of(const sim_worker *w, const sim_lane *lane);

/** Where a lane waits or was last seen, as text. */
const char *sim_lane_place(const sim_lane *lane);

/** What each warp of the block waits for, as text. @return length */
size_t sim_describe_waiting(const sim_worker *w, char *text, size_t bytes);

/* ---- wait.c: barriers of some threads of a block ------------------------- */

/* More of it is in sim.h: kernels call it. */

/** States of lanes that wait for some others of their block or cluster. */
#define WAITS_FOR_SOME                                                         \
    (1u << LANE_TILE | 1u << LANE_ARRIVE | 1u << LANE_PHASE |                  \
     1u << LANE_CLUSTER)

/** Wait for the four warps that multiply together: no order of what they do. */
void sim_wait_warpgroup(uint32_t site);

/** Let lanes of a warp arrive at barriers, if what they did before has been
 *  merged. @return some did: they can go on */
bool sim_wait_arrive(sim_worker *w, unsigned warp);

/** Let go whoever has nothing to wait for any more.
 *  @return the warps in which some lane can go on, a bit for each */
uint32_t sim_wait_complete(sim_worker *w);

/** Is there a barrier in these bytes of the shared memory of block @p w? */
bool sim_mbarrier_within(const sim_worker *w, uint32_t offset, uint32_t bytes);

/* ---- cluster.c: blocks that see each other's shared memory --------------- */

/* More of it is in sim.h: kernels call it. */

/** A launch begins: bring workers together. */
void sim_cluster_form(sim_worker *const *workers, int count);

/** The worker has no block, or its block has ended. @return there is a next
 *  one, @p block */
bool sim_cluster_next(sim_worker *w, uint64_t *block);

/** Let the other blocks run. @param moved  this one did since its last turn
 *  @return false: no block of the cluster can go on */
bool sim_cluster_turn(sim_worker *w, bool moved);

/** End the phase of the cluster's barrier if all have come. */
void sim_cluster_meet(sim_worker *w);

/** The block of that rank, whose shared memory the running lane uses. */
sim_worker *sim_cluster_member(unsigned rank, uint32_t site);

/** The block of the cluster in whose shared memory @p p is; NULL: none. */
sim_worker *sim_cluster_owner(const sim_worker *w, const void *p);

/** The inverse. */
uint32_t sim_cluster_offset(const sim_worker *w, const void *p);

/* ---- grid.c: blocks that wait for their whole grid ----------------------- */

/* More of it is in sim.h: kernels call it. */

/** The block of this worker waits for its grid: keep it, make room. */
void sim_grid_pause(sim_worker *w);

/** May another block begin, beside those that make room for others? */
bool sim_grid_has_room(const sim_worker *w);

/** Go on for a while with the first of these. @return false: there is none */
bool sim_grid_turn(sim_worker *w);

/** No block is left to begin: go on with those that wait, phase by phase. */
void sim_grid_run(sim_worker *w);

/* ---- registers.c: registers that warps give to others -------------------- */

/** The running lane, with all of its warp, has @p count from now on. */
void sim_registers_set(unsigned count, uint32_t site);

/** A block has ended: has it had more than there are? */
void sim_registers_end_block(sim_worker *w);

/* ==== Instructions ======================================================== */

/* ---- hooks.c, texture.c -------------------------------------------------- */

/** The running lane reads a texel: it is checked, and not counted. */
void sim_hook_texture(const void *p, size_t bytes, uint32_t site);

/* ---- async.c, tma.c: copies that are under way --------------------------- */

/* More of it is in sim.h: kernels call it. */

/** Mark bytes of shared memory that copies write, or read (FLIGHT_SOURCE);
 *  @p by below 0: they do so no longer. */
void sim_async_mark(sim_worker *w, const void *p, size_t bytes, int by);

/** A bulk copy moves @p bytes, of which @p count are at @p global. */
void sim_async_count(unsigned op, const void *global, size_t count,
                     uint64_t bytes);

/**
 * Begin a bulk copy; one that does not go by 16 bytes is refused.
 * @return whether it arrives later. Else nothing is left to do: host code
 * called, or nothing is counted, and the bytes are there, since nobody would
 * see a missing wait
 */
bool sim_bulk_is_late(void *to, const void *from, size_t bytes, uint32_t site);

/** A block has ended. If it is @p complete, no box may be on its way to it;
 *  copies for which nobody has waited are forgotten. */
void sim_async_end_block(sim_worker *w, bool complete);

/** The running lane arrives at a barrier: its copies for it are done. */
void sim_async_arrive(sim_worker *w, const sim_mbarrier *barrier);

/** A barrier waits for all bytes of copies: those of any lane for it are done.
 */
void sim_async_expected(sim_worker *w, const sim_mbarrier *barrier);

/** A phase of a barrier ends: nobody need wait for its copies any more. */
void sim_async_phase(sim_worker *w, const sim_mbarrier *barrier);

/** Log up to 16 bytes of a bulk copy: they are checked, and no request. */
void sim_hook_bulk(const void *p, size_t bytes, bool write, uint32_t site);

/** The running lane accesses the shared memory of another block, @p w: it is
 *  checked. @param what  the bits of the access above its address */
void sim_hook_remote(sim_worker *w, uint32_t offset, uint64_t what,
                     uint32_t site);

/** Let others run until @p entries fit into the log of the running lane: while
 *  it writes these, nobody else runs and its block is not set aside. */
void sim_hook_room(unsigned entries);

/** The block is set aside (-1), or comes back (1): marks of its copies. */
void sim_async_move(sim_worker *w, int by);

/** Copy COPY_BYTES bytes to the shared memory of block @p w, which its
 *  @p barrier counts: they are there when its phase ends. */
void sim_async_counted(sim_worker *w, uint32_t offset, const void *data,
                       sim_mbarrier *barrier, uint32_t site);

/**
 * Begin to copy a box to shared memory; zeros where there is nothing of it.
 *
 * @param to       address of shared memory
 * @param at       element at which the box begins, the fastest dimension first
 * @param barrier  address of the one that counts its bytes
 * @param blocks   of the cluster: a bit for each that gets it, at the same
 *                 place, and whose barrier counts
 */
void sim_tma_load(uint32_t to, const sim_tensor_map *map, const int32_t *at,
                  uint32_t barrier, uint16_t blocks, uint32_t site);

/** Begin to copy a box from shared memory, see sim_bulk_store(). */
void sim_tma_store(const sim_tensor_map *map, const int32_t *at, void *from,
                   uint32_t site);

/** Can the copy engine see that a barrier of this block is initialised? */
void sim_engine_sees(const sim_worker *owner, const sim_mbarrier *barrier,
                     uint32_t site);

/** A block has ended. If it is @p complete, nobody's stores may be left. */
void sim_tma_end_block(sim_worker *w, bool complete);

/* ---- tensor.c, wmma.c: products of matrices in the registers of a warp --- */

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
 * @param store       stmatrix
 * @param count       1, 2, 4 matrices
 * @param transposed  .trans
 * @param registers   one for each matrix
 * @param row         address of the row that the running lane names
 */
void sim_tensor_rows(bool store, unsigned count, bool transposed,
                     uint64_t **registers, uintptr_t row, uint32_t site);

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
static inline float sim_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t sim_bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/** The integer @p high * 2^32 + @p low, as far as it matters for a float and
 *  what is shorter: from 2^52 on, of what lies below bit 24 only whether there
 *  is any. So a double holds it. */
static inline double sim_number_of(int64_t high, uint32_t low)
{
    if (high < -(1 << 20) || high >= 1 << 20)
        low = (low & 0xff000000) | (low & 0xffffff ? 1 << 23 : 0);
    return (double)high * 4294967296.0 + low;
}

/** .ftz: a denormal is 0, with its sign. */
static inline float sim_flush(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x;
}

/* ---- wgmma.c: products of four warps, from shared memory ----------------- */

/* Semantics: "PTX ISA", "Asynchronous Warpgroup Level Matrix Instructions". */

/** sum [64 x n] (+)= a [64 x 16] * b [16 x n]. A warp has 16 of the rows. */
typedef struct {
    unsigned n;        /**< columns, a multiple of 8 up to 256 */
    int format;        /**< of a and b: SIM_HALF, SIM_BFLOAT16 */
    uint64_t a, b;     /**< descriptors of matrices in shared memory */
    bool a_held;       /**< a is in registers, as of mma.m16n8k16 ... */
    uint32_t held[4];  /**< ... those of the running lane */
    bool add;          /**< false: what was in the sums does not count */
    bool a_by_columns; /**< rows run fastest in memory, not k */
    bool b_by_rows;    /**< columns run fastest, not k */
    uint32_t site;     /**< of the instruction */
} sim_wgmma;

/** wgmma.fence: what the running lane did to its registers is done. */
void sim_wgmma_fence(void);

/** wgmma.mma_async. @param sums  n / 2 registers of the running lane: for
 *  every 8 columns four, as in C of mma.sync m16n8 */
void sim_wgmma_run(const sim_wgmma *product, uint64_t **sums);

/** wgmma.commit_group: the products since the last one are a group. */
void sim_wgmma_commit(void);

/** wgmma.wait_group: until at most @p left groups of the lane are under way. */
void sim_wgmma_wait(uint32_t left);

/** The running lane has a box copied to the shared memory of block @p w, where
 *  no product under way may read. */
void sim_wgmma_overwrite(sim_worker *w, uint32_t offset, uint32_t bytes);

/** A block has ended. If it is @p complete, nobody's products may be left. */
void sim_wgmma_end_block(sim_worker *w, bool complete);

/* ---- ptx_memory.c: ld, st, atom and red of inline PTX -------------------- */

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

/* ---- ptx_text.c, ptx.c: an asm statement taken apart --------------------- */

#define PTX_LOCALS 8      /**< most registers that a statement declares */
#define PTX_PARTS 16      /**< most instructions of one */
#define PTX_OPERANDS 512  /**< most operands of all of these */
#define WGMMA_COLUMNS 256 /**< most columns of a wgmma instruction */

/** What an operand is, in its index or its number. */
typedef enum {
    PTX_SLOT,     /**< %2, an operand of the statement */
    PTX_LOCAL,    /**< a register that it declares */
    PTX_REGISTER, /**< %laneid and so on: row of the table in ptx.c */
    PTX_NUMBER,
    PTX_NOTHING, /**< _ */
} ptx_kind;

/** A source or a result. In brackets it is an address: [%0+16]. */
typedef struct {
    ptx_kind kind;
    unsigned index;
    uint64_t number;  /**< what is added to the rest */
    const char *name; /**< of a PTX_REGISTER */
} ptx_operand;

/** A statement that runs. */
typedef struct {
    uint64_t *slots;             /**< its operands %0, %1 ... */
    uint64_t locals[PTX_LOCALS]; /**< of a predicate 0 or 1 */
    uint32_t site;               /**< where it stands in the source */
} ptx_frame;

/** An instruction of it. */
typedef struct ptx_part {
    const char *label; /**< before it; NULL: there is none */
    char *name;        /**< with modifiers; of a jump its label */
    ptx_operand guard; /**< @p or @!p; PTX_NOTHING: none */
    bool negated;
    bool jumps;                  /**< to the part in row */
    bool shared;                 /**< of a matrix: in shared memory */
    unsigned bits;               /**< of its type: 16, 32, 64 */
    bool is_signed, wide;        /**< .s32, .wide */
    const ptx_operand *operands; /**< in the order of the text */
    unsigned count;              /**< of them */
    ptx_operand second;          /**< p of a result "d|p" */
    unsigned row;                /**< of its table in ptx.c */
    sim_ptx_access access;       /**< of ld, st, atom and red */
    /** NULL: nothing is to be done. @return is it known? */
    bool (*run)(const struct ptx_part *, ptx_frame *);
} ptx_part;

/** A statement. */
typedef struct {
    ptx_part parts[PTX_PARTS];
    unsigned count; /**< of parts; 0: there is one that we do not know */
    ptx_operand operands[PTX_OPERANDS]; /**< of all parts */
    unsigned operand_count;
    const char *locals[PTX_LOCALS]; /**< names */
    unsigned local_count;
} ptx_program;

/** Take a statement apart, by its syntax alone: ptx.c knows the names.
 *  @return memory that is kept for good */
ptx_program *sim_ptx_read(const char *text);

#endif
