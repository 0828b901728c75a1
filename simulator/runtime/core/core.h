/**
 * @file core.h
 * @brief What the core gives to all folders of the runtime.
 *
 * The core runs kernels. It knows nobody who looks on: count/ and detect/ ask
 * it for events. What only its own files say to each other is in inside.h.
 * limits.h, access.h and layout.h need no simulator: docs/explorers and tests
 * use them alone.
 */
#ifndef CORE_H
#define CORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/sim.h"
#include "../../include/texture_types.h"
#include "access.h"
#include "limits.h"

/* ==== What the simulator itself needs ===================================== */

/* ---- alloc.c: its own memory --------------------------------------------- */

/*
 * Where there is none, the program ends with one line and STATUS_FAILED: no
 * caller has a way to go on.
 */

/** Zeroed pages, each of which takes memory only when it is touched. */
void *sim_map(size_t bytes);

/** Address space alone: pages that may not be touched yet. */
void *sim_reserve(size_t bytes);

/** calloc() of @p bytes. */
void *sim_new(size_t bytes);

/** realloc(). */
void *sim_grow(void *old, size_t bytes);

/** Of two numbers, for qsort(). */
#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

/* ---- text.c: text for messages and reports ------------------------------- */

/** printf into one of a few buffers of this OS thread that take turns. */
const char *sim_format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/** Are two texts equal, or both NULL? */
bool sim_same_text(const char *a, const char *b);

/** Write @p begin, and @p text as a JSON string. */
void sim_json_string(FILE *file, const char *begin, const char *text);

/* ---- settings.c: the switches, read from the environment once ------------ */

/** Who may go in another order. */
typedef enum { GO_BLOCKS = 1, GO_WARPS = 2, GO_LANES = 4 } sim_goers;

/** SIM_ORDER=block:7: it goes first, the others as they come. */
#define ORDER_ONE_FIRST 1000001

/** See the README for what they do. */
typedef struct {
    const char *report; /**< SIM_REPORT: file for JSON lines, NULL: none */
    int threads;        /**< SIM_THREADS: OS threads that run blocks */
    unsigned order;     /**< SIM_ORDER: 0 as they come, 1 the last first */
    unsigned whose;     /**< SIM_ORDER: of which of sim_goers */
    unsigned first;     /**< SIM_ORDER: who, with ORDER_ONE_FIRST */
    double timeout;     /**< SIM_TIMEOUT: without a finished block (s) */
    bool checks;        /**< SIM_CHECKS: count, and look for any bug */
    bool search;        /**< SIM_SEARCH: for races, uninitialised reads */
    bool count_all;     /**< SIM_COUNT: also launches like an earlier one */
    const char *trace;  /**< SIM_TRACE: file for single requests, NULL: none */
    bool trace_ranges;  /**< SIM_TRACE_RANGES: in them alone */
    unsigned trace_launch;   /**< SIM_TRACE_LAUNCH: alone, 0: every one */
    unsigned trace_blocks;   /**< SIM_TRACE_BLOCKS: of a launch */
    unsigned trace_warps;    /**< SIM_TRACE_WARPS: of a block */
    unsigned trace_requests; /**< SIM_TRACE_REQUESTS: of a warp, a place */
    const char *why;         /**< SIM_WHY: file for who wrote a word */
} sim_switches;

extern sim_switches sim_settings;

/** The program will ask for counters: count all launches by default. */
void sim_settings_ask(void);

/** Read the environment; exits 2 on a value that makes no sense. */
void sim_settings_read(void);

/* ==== Device memory ======================================================= */

/* ---- memory.c: one large reservation, cut into buffers ------------------- */

/*
 * The arena is address space, of which only what is allocated and touched takes
 * real memory. It is divided into granules of 64 KiB. A buffer begins in a
 * granule of its own and is followed by at least one empty granule, so one look
 * at a table says whether an address is inside a buffer. While half of the
 * arena is left buffers lie so far from each other that no index of 32 bits
 * leads from one into another.
 *
 * The L1 looks at the lower 32 bits of an address (l1.c), so these must be the
 * same in every run: the arena begins at a multiple of 4 GiB, and a buffer at
 * the next multiple of 2 MiB, where cudaMalloc() puts those of 1 MiB and more.
 *
 * The program's own image, with its __device__ variables and constants, has a
 * table of the same kind, and so has each piece of host memory that was
 * registered.
 */

#if defined ARENA_SHIFT
#elif defined __x86_64__
#define ARENA_SHIFT 45 /**< 32 TiB of address space, not of memory */
#else
#define ARENA_SHIFT 38 /**< 256 GiB: some Arm processors have but 512 */
#endif
#define ARENA_BYTES ((size_t)1 << ARENA_SHIFT)
#define GRANULE_SHIFT 16 /**< 64 KiB */
#define GRANULE ((uintptr_t)1 << GRANULE_SHIFT)

/** What detect/ keeps of a granule. */
typedef struct sim_granule_shadow sim_granule_shadow;

/** What is in 64 KiB of the arena. */
typedef struct {
    uintptr_t low;              /**< first byte of the buffer */
    size_t bytes;               /**< of the whole buffer; 0: no buffer here */
    sim_granule_shadow *shadow; /**< NULL: not touched yet */
    bool initialised; /**< every byte of the buffer in this granule is */
    bool by_many;     /**< several launches have stored here, or a copy */
    uint32_t written; /**< the latest launch whose kernel stored here */
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
    const char *file;     /**< of the allocation; see names.c */
    int line;             /**< of the allocation */
    void **frames;        /**< the calls that led to it */
    bool live;            /**< false: freed */
    bool used;            /**< by a launch, since the host has waited */
    sim_array_name array; /**< what is in it */
} sim_allocation;

extern bool sim_any_pinned;       /**< there was a BUFFER_HOST */
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

/** The host may not touch managed memory that a launch has been given, or has
 *  written. @param parameters  the kernel's; NULL: all of it */
void sim_memory_give(const void *parameters, size_t bytes);

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

typedef bool (*sim_alike_fn)(sim_allocation *one, const sim_allocation *b);

/** How many buffers of lower addresses are like @p b? */
unsigned sim_count_before(const sim_allocation *b, sim_alike_fn alike);

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

/** Which of these bytes, in one piece of 64, have been written? Bit 0 is the
 *  first. Of a granule that is initialised it does not know. */
uint64_t sim_written(uintptr_t address, size_t bytes);

/** Words of device memory, [pointer, pointer + bytes), of which nothing has
 *  written any byte.
 *  @param first  receives the first of at least four in a row, the most that
 *                the padding of a structure may be and one more; 0: none */
size_t sim_count_uninitialised(const void *pointer, size_t bytes,
                               uintptr_t *first);

/* ---- texture.c: what a texture object stands for ------------------------- */

typedef struct {
    const char *data; /**< in device memory */
    int64_t size[2];  /**< texels of a row; rows, 1 of one dimension */
    size_t pitch;     /**< from row to row (bytes) */
    int channels;
    int bits; /**< of a channel */
    enum cudaChannelFormatKind kind;
    enum cudaTextureAddressMode outside[2];
    bool linear;     /**< neighbours are mixed */
    bool normalized; /**< coordinates from 0 to 1 */
    bool to_float;   /**< integers become numbers from 0 or -1 to 1 */
    float border[4];
} sim_texture_object;

/** Bytes of a texel. */
static inline size_t sim_texel_bytes(int channels, int bits)
{
    return (size_t)(channels * bits) / 8;
}

/* ==== The program and what is wrong with it =============================== */

/* ---- sites.c: sites, kernels, shared arrays ------------------------------ */

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
    uint16_t ops[OPS_KINDS]; /**< of one lane, kinds 'B' and 'E' */
    uint32_t end;            /**< of a barrier: the last site of its loop */
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

/** One variable of the device. */
typedef struct {
    sim_array array; /**< offset: its address */
    bool managed;    /**< the host may use it by its name */
    bool asked;      /**< the host has its address by cudaGetSymbolAddress() */
} sim_variable_info;

/** The variable that begins at or before an address; NULL: none does. */
sim_variable_info *sim_variable_before(uintptr_t address);

/** The variable that an address is in; NULL: none, or plain mode. */
sim_variable_info *sim_variable_at(uintptr_t address);

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

/** Is a load there a plain look, which an atomic operation on the word checks?
 *  See tentative.py. */
bool sim_is_tentative(uint32_t site);

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

/** All shared arrays, sorted by offset. @return how many */
size_t sim_arrays(const sim_array **arrays);

/* ---- findings.c: the list of findings ------------------------------------ */

/* More of it is in sim.h: programs ask it. */

/** Where and in which block. Unknown parts are 0. */
typedef struct {
    uint32_t site;    /**< of the access or wait */
    uint32_t other;   /**< second site, for races */
    const char *file; /**< if the site is not known */
    int line;         /**< if the site is not known */
    int column;       /**< if the site is not known */
    uint64_t block;   /**< number of the block */
    uint32_t since;   /**< 1 and the launch after which it was; 0: the latest */
} sim_place;

/**
 * Add a finding, with a message as by printf.
 *
 * The same kind at the same place is one finding with a count; the message of
 * the block with the smallest number is kept, so that it does not depend on
 * the number of OS threads.
 *
 * @param kind    "shared-race"; names that end in -note do not change the
 *                exit status
 * @param format  without place and kind: first in a few words what, then a
 *                line of details after each "\\n"
 */
void sim_finding(const char *kind, sim_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Count a finding whose message would not be kept: of a loop that meets it a
 *  million times, the text is needed once.
 *  @return it is counted; false: call sim_finding() */
bool sim_found_before(const char *kind, sim_place place);

/** What OP_LOAD ... are called. */
extern const char *const sim_verbs[];

/** The findings of this launch as a JSON array. */
void sim_findings_json(FILE *file);

/** The program has seen cudaErrorAssert, so it decides about the status:
 *  assertions do not any more. */
void sim_findings_expect_assertions(void);

/** Called before they are printed: adds what only the end can tell. */
extern void (*sim_findings_last)(void);

/** Print all findings to stderr, once. */
void sim_findings_print(void);

/** Print what is known, and end: the program cannot go on. */
_Noreturn void sim_findings_end(void);

/* ---- caller.c: the line of the program that an address of its code is in - */

#define MOST_FRAMES 32  /**< of calls that are looked at */
#define PATH_BYTES 1024 /**< of a file's name */

/** Find file and line of an address; @p text receives the file. Slow.
 *  @return the line; 0: unknown */
int sim_line_of(uintptr_t code, char *text, int bytes);

/** The line of the program that has called the runtime: for findings of the
 *  host's code, where no launch and no access says it. Slow; file and line are
 *  "?" and 0 if nobody knows. */
sim_place sim_caller(void);

/** The same in two steps: note who calls, and later say where that is. */
void sim_caller_note(void *frames[MOST_FRAMES]);
sim_place sim_caller_noted(void *const frames[MOST_FRAMES]);

/* ---- names.c: what people call a place in memory ------------------------- */

/* Texts are as those of sim_format(). */

/**
 * Global memory: "A[128][3]" of an array that has a name, also outside of it.
 *
 * @param bytes  of the access: taken for an element's where nobody said
 */
const char *sim_name_global(uintptr_t address, unsigned bytes);

/** Where that is: "2 rows past the end of A, 128 x 64 elements", and on a
 *  second line where the buffer was allocated. */
const char *sim_where_global(uintptr_t address, unsigned bytes);

/** An address outside of all buffers, 2^32 elements or bytes beside one: what
 * an index of 32 bits makes where it overflows.
 *  @param name  receives "A[-7]"
 *  @return what has happened; NULL: it is something else */
const char *sim_overflow_global(uintptr_t address, unsigned bytes,
                                const char **name);

/** The name of the array at an address, where it starts and the bytes from row
 *  to row, 0: one dimension. NULL: no array. */
const char *sim_origin_global(uintptr_t address, unsigned bytes,
                              uint64_t *start, uint64_t *pitch);

/** The same of an offset in shared memory; without a name, too, it starts
 *  somewhere. */
const char *sim_origin_shared(size_t offset, size_t dynamic_offset,
                              uint64_t *start, uint64_t *pitch);

/** Shared memory, by its offset: "tile[1][0]", "shared memory" outside. */
const char *sim_name_shared(size_t offset, size_t dynamic_offset);

/** What a kernel's source calls the array of which it uses an element at a
 * site; NULL: nobody knows. */
const char *sim_array_at(const sim_site *site);

/** Where that is: "4 bytes past the end of tile[32][33]". */
const char *sim_where_shared(size_t offset, size_t dynamic_offset,
                             size_t dynamic_bytes);

/* ==== A launch, the OS threads that run it, its lanes ===================== */

/* ---- fiber.c: many small stacks that take turns on one OS thread --------- */

/*
 * A GPU thread must be able to stop in the middle of a kernel, at a barrier
 * say, and go on later. So each gets a stack of its own, and stopping means
 * switching to another stack: six registers saved, six restored, 5 to 8 ns.
 *
 * A fiber belongs to the OS thread that created it and is never resumed by
 * another, because the compiler may keep the address of a thread-local
 * variable in a register across the switch.
 */

/** One stack with what it takes to resume it. */
typedef struct sim_fiber {
    void *stack_pointer;    /**< saved; NULL: starts from the beginning */
    char *low;              /**< lowest byte of the stack */
    struct sim_fiber *next; /**< list of idle fibers */
} sim_fiber;

/** The fibers of one OS thread that nobody uses at the moment. */
typedef struct {
    sim_fiber *idle;    /**< most recently used first: its stack is in cache */
    void (*body)(void); /**< what a fiber runs; never returns */
    size_t stack_bytes; /**< usable bytes of each stack */
    bool guard_pages;   /**< an unmapped page below each stack */
    unsigned made;      /**< stacks so far */
} sim_fiber_pool;

/* ---- worker.c ------------------------------------------------------------ */

/*
 * A launch is a grid of blocks. Each worker (an OS thread) takes one block
 * after the other and runs all its GPU threads as fibers. A warp is 32
 * successive threads of a block, here called its lanes.
 *
 * What an instrumented kernel does is written to the worker's log: a column for
 * each lane of the warp that runs at the moment. If all lanes do the same, the
 * i-th entries of all columns are one instruction of the warp.
 */

#define LOG_ROWS 256        /**< accesses of a lane between two merges */
#define DEPTH_SHIFT 24      /**< of the call depth in a key */
#define SITE_MASK 0xffffffu /**< of the site in a key */
#define MAX_DEPTH 127       /**< calls that are told apart */

#define GROUP_WARPS 4        /**< that have a wgmma together */
#define NUMBERED_BARRIERS 16 /**< of a block */
#define OBJECT_BARRIERS 1024 /**< of a block, objects: more share numbers */
#define MAX_CONSTANTS 8      /**< parameters that are __grid_constant__ */
#define STRANGER 0xffff      /**< a thread of another block of the cluster */

/* ---- worker.c: the log --------------------------------------------------- */

/** Room behind a column, so that the columns of the lanes do not all lie on
 *  the same lines of the cache (bytes). */
#define COLUMN_GAP 64

/**
 * The accesses of one warp: a column for each lane.
 *
 * A key is the site, and above it 127 minus the call depth: among the next
 * entries of all lanes, the one with the smallest key comes first. An entry
 * that marks a basic block has a key only.
 */
typedef struct {
    uint64_t access[LANES][LOG_ROWS + COLUMN_GAP / sizeof(uint64_t)];
    uint32_t key[LANES][LOG_ROWS + COLUMN_GAP / sizeof(uint32_t)];
} sim_log;

/* ---- worker.c: lanes ----------------------------------------------------- */

/** What a lane is doing. */
typedef enum {
    LANE_NEW,     /**< not started */
    LANE_READY,   /**< can go on */
    LANE_FULL,    /**< its column of the log is full */
    LANE_BARRIER, /**< waits for its block */
    LANE_WARP,    /**< waits for other lanes of its warp */
    LANE_TILE,    /**< waits for a part of its block; see wait.c */
    LANE_ARRIVE,  /**< what it did is merged, then it arrives at a barrier */
    LANE_PHASE,   /**< waits for a phase of a barrier to end */
    LANE_CLUSTER, /**< waits for its cluster; see cluster.c */
    LANE_GRID,    /**< waits for its grid; see grid.c */
    LANE_DONE     /**< returned from the kernel */
} sim_lane_state;

/** One GPU thread. What each block sets and reads comes first. */
typedef struct {
    sim_fiber *fiber;       /**< NULL before it starts and after it ends */
    sim_lane_state state;   /**< see above */
    uint16_t x, y, z;       /**< threadIdx */
    uint32_t logged;        /**< entries in its column of the log */
    uint32_t depth;         /**< device functions that it is inside */
    uint32_t cluster_phase; /**< it has arrived for, of its cluster's barrier */
    uint32_t site;          /**< where it waits, or its last access in the
                                 kernel itself; 0: unknown */
    const char *file;       /**< where it waits */
    int line;               /**< where it waits */
    int op;                 /**< barrier or warp operation that it waits for */
    unsigned mask;          /**< lanes that must come */
    uint64_t value;         /**< its contribution */
    uint64_t result;        /**< what it gets */
    int source;             /**< of a shuffle */
    int width;              /**< of a shuffle */
    void *object; /**< sim_mbarrier that it arrives at or waits for; NULL: its
                       cluster's barrier */
    const void *shown;        /**< see sim_lane_show() */
    struct sim_copy *copies;  /**< under way; see async.c */
    uint32_t copy_group;      /**< number of the group that is open */
    struct sim_store *stores; /**< of boxes, under way; see tma.c */
    uint32_t store_group;     /**< as copy_group */
    uint32_t proxy_clock; /**< of its last fence.proxy.async: it covers what was
                               before */
    uint32_t init_fence_clock;    /**< the same of barriers; or
                                       fence.mbarrier_init */
    uint16_t registers;           /**< see registers.c; 0: not said */
    uint32_t registers_site;      /**< where it was said */
    struct sim_wgmma_lane *wgmma; /**< products under way; see wgmma.c */
} sim_lane;

/* ---- worker.c: the launch that runs -------------------------------------- */

/** Why a launch ends before its time. */
typedef enum {
    ABORT_NO,
    ABORT_ERROR,  /**< a finding ended it */
    ABORT_TIMEOUT /**< no block finished for too long */
} sim_abort_reason;

/** What all workers share. */
typedef struct {
    unsigned grid[3];        /**< gridDim */
    unsigned block[3];       /**< blockDim */
    unsigned threads;        /**< per block */
    unsigned cluster[3];     /**< blocks of a cluster */
    unsigned cluster_blocks; /**< all of them */
    size_t dynamic_bytes;    /**< dynamic shared memory */
    size_t local_bytes;      /**< arrays of a thread in local memory */
    bool cooperative;        /**< its blocks may wait for each other */
    void (*run)(void *);     /**< calls the kernel */
    void *args;              /**< for run */
    size_t args_bytes;       /**< the kernel's parameters */
    const char *name;        /**< of the kernel, for people */
    const char *file;        /**< of the launch */
    int line;                /**< of the launch */
    uint64_t blocks;         /**< in the grid */
    int workers;             /**< OS threads that run them */
    uint32_t serial;         /**< number of this launch, from 1 */
    uint32_t together;       /**< the same of launches that may overlap */
    uint64_t first_block;    /**< see sim_turn_begin() */
    unsigned range;          /**< the profiler's that is open; 0: none */
    bool counted;            /**< somebody counts it */
    _Atomic uint64_t next;   /**< first block that nobody has taken */
    _Atomic uint64_t done;   /**< finished blocks */
    uint64_t resident;       /**< blocks that an H200 holds at once */
    _Atomic uint64_t aside;  /**< blocks that make room: they wait for others */
    uint64_t begun; /**< blocks when the time was over, if some made room */
    _Atomic uint64_t pauses; /**< times that a block waited for the grid */
    _Atomic bool asks_host;  /**< it looks at a flag that the host may set */
    _Atomic bool shares;     /**< it has used operations that the host sees */
    bool looked;             /**< it has used atomics or volatile accesses */
    _Atomic int abort;       /**< sim_abort_reason */
    _Atomic int error;       /**< cudaError_t that the launch ends with */
} sim_launch_state;

/** The launch that runs; one at a time. */
extern sim_launch_state sim_now;

/** Lanes of warp @p warp of a block: 32, fewer in the last one. */
static inline unsigned lanes_of(unsigned warp)
{
    unsigned left = sim_now.threads - warp * LANES;
    return left < LANES ? left : LANES;
}

/** Let all workers leave the launch. The first error is the one that counts.
 *  @param error  cudaError_t */
void sim_abort(sim_abort_reason reason, int error);

/* ---- worker.c: workers --------------------------------------------------- */

/** The log of a warp that had to make room for another warp. */
typedef struct {
    sim_log *log;           /**< NULL: none */
    uint32_t logged[LANES]; /**< entries of each lane */
} sim_saved_log;

/** One OS thread. First what hooks touch: three cache lines. */
typedef struct sim_worker {
    uintptr_t arena;       /**< start of device memory */
    sim_granule *granules; /**< its table of allocations */
    uint64_t *access;      /**< column of the running lane */
    uint32_t *key;         /**< column of the running lane */
    uint32_t logged;       /**< entries in it */
    uint32_t level;        /**< upper part of keys, from depth */
    uint32_t depth;        /**< device functions that the lane is inside */
    bool counting;         /**< hooks are in the program */
    bool unfenced;         /**< a global store since the last __threadfence */
    bool diverged;         /**< a barrier of this block was reported */
    bool stored;           /**< a global store or a fence in this block */
    bool resumed;          /**< this block has waited for its grid */
    uintptr_t shared_low;  /**< static shared memory: this thread's arrays */
    size_t shared_bytes;   /**< from the first to the end of the last */
    size_t shared_fast;    /**< the same; 0 while copies are under way */
    uintptr_t dynamic_low; /**< dynamic shared memory */
    size_t dynamic_bytes;  /**< as the launch asks for it */
    size_t dynamic_offset; /**< of dynamic in the block's shared memory */
    uintptr_t stack_low;   /**< stack of the running fiber */
    size_t stack_bytes;    /**< of it */
    sim_lane *lane;        /**< that runs; NULL: none does */
    unsigned block[3];     /**< blockIdx */
    uint64_t block_number; /**< the same, as one number */

    sim_log *log;                   /**< of the running warp */
    unsigned log_warp;              /**< that warp */
    void *scheduler;                /**< stack pointer of the worker itself */
    sim_fiber_pool fibers;          /**< for the lanes */
    sim_lane *lanes;                /**< of the block, [MAX_THREADS] */
    sim_saved_log saved[MAX_WARPS]; /**< logs of warps that were set aside */
    uint32_t clock;                 /**< of the block: grows with each barrier,
                                         __syncwarp, fence, arrival */
    uint32_t barrier_clock;         /**< of the last barrier */
    uint32_t phase_clock;     /**< the same, if it was a phase of an object: it
                                   orders who has arrived; see wait.c */
    uint32_t full_clock;      /**< of the last one before these */
    uint32_t block_serial;    /**< grows with each block */
    uint32_t registers_block; /**< the last one with setmaxnreg */
    char *dynamic;            /**< mapping of dynamic shared memory */
    size_t dynamic_capacity;  /**< bytes of it */
    const char *dynamic_name; /**< of the array in it; NULL: unknown */
    unsigned dynamic_element; /**< bytes of one */
    unsigned dynamic_row;     /**< elements; 1: it has no rows */
    uint64_t looks;           /**< atomics, volatile accesses of the launch */
    uint32_t same_looks;      /**< the latest in a row at one address, none of
                                   which has changed it */
    uintptr_t looked_at;      /**< that address */
    unsigned clock_reads;     /**< by the running lane, since it was resumed */
    uint32_t in_flight;       /**< copies under way in this block */
    uint16_t *flight; /**< per byte of shared memory: copies to it, and from
                           it (FLIGHT_SOURCE) */
    sim_mbarrier *barriers; /**< of PTX, per 8 bytes of shared memory */
    sim_mbarrier numbered[NUMBERED_BARRIERS]; /**< of bar.sync */
    uint16_t barrier_count;                   /**< that have been initialised */
    struct sim_copy *unused;                  /**< for new ones; see async.c */
    struct sim_cluster *cluster; /**< that it runs with others; cluster.c */
    unsigned rank;               /**< of its block in there */
    uint32_t clusters_run;       /**< with the one that runs */
    bool ended;                  /**< its block has, others may go on */
    struct sim_paused *paused;   /**< blocks that wait for their grid; grid.c */
    /** The kernel's parameters that are __grid_constant__, the same of all
     *  lanes: how far inside of a stack, and how many bytes. */
    struct {
        size_t depth, bytes;
    } constants[MAX_CONSTANTS];
    unsigned constant_count;   /**< of them, in this block */
    int number;                /**< 0 and up */
    pthread_t thread;          /**< that it is */
    struct sim_sums *sums;     /**< what count/ keeps */
    struct sim_shadow *shadow; /**< what detect/ keeps */
} sim_worker;

/** The worker that is this OS thread; a dummy on all others. */
extern _Thread_local sim_worker *sim_self;

/** Clock of the last barrier that orders all that the block's threads did. */
static inline uint32_t full_barrier_clock(const sim_worker *w)
{
    return w->barrier_clock == w->phase_clock ? w->full_clock
                                              : w->barrier_clock;
}

/** Index of the running lane in its block. */
static inline unsigned lane_index(const sim_worker *w, const sim_lane *lane)
{
    return (unsigned)(lane - w->lanes);
}

/** End the launch from inside a kernel, with a cudaError_t. */
_Noreturn void sim_end_launch(sim_worker *w, int error);

/** A place in the worker's block. */
static inline sim_place sim_place_at(const sim_worker *w, uint32_t site)
{
    return (sim_place){.site = site, .block = w->block_number};
}

/** "block (1,0,0)". @return as sim_format() */
const char *sim_block_text(const sim_worker *w);

/** "thread (2,3,0) of block (1,0,0)". @return as sim_format() */
const char *sim_who(const sim_worker *w, unsigned thread);

/** The same of the running lane. */
const char *sim_here(const sim_worker *w);

/** "(2,3,0)" of thread @p index of the block. @return as sim_format() */
const char *sim_thread_text(const sim_worker *w, unsigned index);

/* ---- launch.c: launches, one at a time ----------------------------------- */

/** A launch as it can be recorded; the arguments follow. */
typedef struct {
    unsigned grid[3];       /**< gridDim */
    unsigned block[3];      /**< blockDim */
    unsigned cluster[3];    /**< blocks of a cluster */
    size_t dynamic_bytes;   /**< dynamic shared memory */
    size_t args_bytes;      /**< of args */
    const void *kernel;     /**< by its address; NULL: run knows it */
    void (*run)(void *);    /**< calls it */
    bool cooperative;       /**< its blocks may wait for each other */
    const char *expression; /**< what the program calls it */
    const char *file;       /**< of the launch */
    int line;               /**< of the launch */
    _Alignas(16) unsigned char args[];
} sim_job;

/** What is known about its kernel; NULL: nothing. */
const sim_kernel_info *sim_kernel_of(const sim_job *job);

/**
 * Run a launch.
 *
 * It returns when the launch has ended, or when its kernel waits for the host:
 * then the launch goes on, and no other one can begin before its end.
 *
 * @param job    a sim_job
 */
cudaError_t sim_launch_now(void *job);

/** A copy begins, or other work without a kernel: a launch of one block to who
 *  looks for what overlaps. */
void sim_copy_begins(const char *name, void *const *frames);

/** Does a launch go on? */
bool sim_launch_goes_on(void);

/** Wait for its end. */
void sim_launch_finish(void);

/** Send a signal to an OS thread that runs blocks. @return false: none does */
bool sim_launch_signal(int number);

/** A kernel has failed: from now on every call returns @p error. */
void sim_set_sticky(cudaError_t error);

/** The error that stays, or cudaSuccess. */
cudaError_t sim_sticky(void);

/** A remark on stderr, unless it is said already, or the program has asked for
 *  none (sim_on_progress()). */
void sim_remark_once(const char *what, atomic_bool *said);

/** The profiler's range of launches opens, or closes. */
void sim_range(bool open);

/* ---- print.c: printf of kernels, which is read when the program waits ---- */

/** Show what kernels have printed: the program waits for them. */
void sim_print_now(void);

/** Have they printed since? If the program ends now, that is lost. */
bool sim_print_waits(void);

/* ---- turn.c: which launches the program has put in order ----------------- */

/*
 * They run one at a time here. On a GPU two of them may run at the same time,
 * if they are in different streams and nothing makes one wait for the other.
 * The detectors take the blocks of such launches for blocks of one launch.
 */

#define MOST_STREAMS 32 /**< that are told apart; the others are number 0 */

/** What lies behind something: of each stream the number of its latest work. */
typedef struct {
    uint32_t work[MOST_STREAMS];
} sim_past;

/** All that lies behind @p other lies behind @p past, too. */
void sim_past_join(sim_past *past, const sim_past *other);

/** The program has streams of its own. */
extern bool sim_streams;

/** The next launch is work @p number of a stream. */
void sim_turn_take(unsigned stream, uint32_t number, const sim_past *past);

/** The launch of a block, by this number: is it over when the one that runs
 *  begins, and what is its name? */
bool sim_turn_is_over(uint64_t block);
const char *sim_turn_name(uint64_t block);

/** Who asked for it, as sim_caller_note() says; NULL: nobody knows. */
void *const *sim_turn_caller(uint64_t block);

/** The name of the one that runs. */
const char *sim_turn_own_name(void);

/** The number of such a block in its own grid. */
uint64_t sim_turn_own(uint64_t block);

/* ---- cluster.c: blocks that see each other's shared memory --------------- */

/* More of it is in sim.h: kernels call it. */

/** In an address of shared memory the rank stands above this bit. */
#define RANK_SHIFT 24
#define RANK_OFFSET ((1u << RANK_SHIFT) - 1) /**< and below it the offset */

/** Workers that run a cluster, a block each. */
typedef struct sim_cluster {
    sim_worker *members[MOST_OF_CLUSTER]; /**< by rank */
    pthread_mutex_t lock;                 /**< of turn */
    pthread_cond_t passed;                /**< turn is another one */
    unsigned turn;  /**< rank of the one that runs; it may use the rest */
    unsigned still; /**< turns in a row in which nobody could go on */
    unsigned ended; /**< blocks of the cluster that have ended */
    uint32_t taken; /**< clusters so far */
    uint64_t first; /**< number of the latest one, times its blocks */
    uint32_t phase; /**< of the cluster's barrier: how many have ended */
} sim_cluster;

/** A byte of the shared memory of block @p w. */
void *sim_cluster_byte(const sim_worker *w, uint32_t offset);

/* ---- tma.c: the copy engine: boxes of an array, by a tensor map ---------- */

/*
 * Semantics: "PTX ISA", "Tensors" and "cp.async.bulk.tensor"; CUDA driver API,
 * "Tensor Map Object Management".
 */

#define TMA_RANK 5 /**< dimensions of an array, at most */

/** What a CUtensorMap is here. */
typedef struct {
    uint32_t magic; /**< tells that it was encoded */
    uint32_t rank;
    uint32_t bytes;             /**< of an element */
    uint32_t swizzle;           /**< 0 none, 1 32, 2 64, 3 128 bytes */
    uint32_t box[TMA_RANK];     /**< elements of a copy; the first dimension is
                                     the one that runs fastest */
    uint64_t address;           /**< of the array */
    uint64_t size[TMA_RANK];    /**< elements */
    uint32_t pitch16[TMA_RANK]; /**< to the next in each dimension from the
                                     second on, in units of 16 bytes */
} sim_tensor_map;

#define TMA_MAGIC 0x7e9504a9u

/** A copy of a box from shared memory, for which nobody has waited. */
typedef struct sim_store {
    struct sim_store *next; /**< a later one of the same lane */
    sim_tensor_map map;
    int32_t at[TMA_RANK]; /**< element at which the box begins */
    char *from;           /**< in shared memory */
    uint32_t bytes;       /**< of the box */
    uint32_t group;       /**< of the lane */
    uint32_t site;        /**< where it began */
} sim_store;

/* ---- async.c: copies to shared memory that are under way ----------------- */

/* More of it is in sim.h: kernels call it. */

#define COPY_BYTES 16     /**< bytes of one copy */
#define FLIGHT_SOURCE 256 /**< in sim_worker's flight: a store reads here */

/** One copy of up to 16 bytes. */
typedef struct sim_copy {
    struct sim_copy *next;          /**< of the same lane, or unused */
    char *to;                       /**< in shared memory */
    const sim_mbarrier *barrier;    /**< NULL: belongs to a group */
    uint32_t group;                 /**< of the lane */
    uint32_t site;                  /**< where it began */
    uint32_t bytes;                 /**< up to COPY_BYTES */
    bool written;                   /**< a phase must still end */
    bool bulk;                      /**< cp.async.bulk: not counted */
    bool box;                       /**< part of a tensor copy */
    unsigned char data[COPY_BYTES]; /**< what was read */
} sim_copy;

/* ---- pinned.c: pinned memory that is being copied, or stored to ---------- */

/*
 * Until the host has waited for the copy it may not change what is copied, nor
 * touch what is brought; nor, before it has waited for a kernel, what that has
 * stored.
 */

/** Rows of pinned memory that work number so-and-so of a stream copies. */
typedef struct {
    const char *start;
    size_t pitch, width, height;
    unsigned stream;
    uint32_t number;
} sim_rows;

/** What goes on in them. */
typedef enum { ROWS_LEAVE, ROWS_ARRIVE, ROWS_STORED } sim_rows_use;

/** A copy from them or to them is under way, or a kernel that stores there. */
void sim_pinned_copy(const sim_rows *rows, sim_rows_use use);

/** The latest launch, work number so-and-so of a stream, has ended; the host
 *  has not waited for it: note what it has stored in pinned memory. */
void sim_pinned_launch(const sim_job *job, unsigned stream, uint32_t number);

/** The host has waited for what is in @p past: are the sources of such copies
 * as they were? NULL: of all, for what comes now may change them. */
void sim_pinned_check(const sim_past *past);

/** The same of those that touch these bytes: a copy is about to write there. */
void sim_pinned_check_at(const char *to, size_t bytes);

/** Who touches a closed page of such rows? */
typedef enum {
    TOUCH_OTHER, /**< it is none */
    TOUCH_RIGHT, /**< one who may: the page is open now */
    TOUCH_EARLY, /**< the host, which has not waited for a copy */
    TOUCH_STORED /**< nor for a kernel that has stored here, or beside it */
} sim_touch;

/** @param work  receives the line of the copy or the launch, if it is early */
sim_touch sim_pinned_touched(uintptr_t address, sim_place *work);

/* ==== Events ============================================================== */

/* ---- what the core tells those who watch a program ----------------------- */

/*
 * The core runs kernels and knows nobody who looks on. A watcher is a table of
 * functions; before main() begins it gives itself to sim_watch(). To see
 * something new, add an event here, raise it in the core, and fill it in above.
 */

/** A request: what lanes of a warp access together, all of one space, operation
 *  and size. */
typedef struct {
    const uint64_t *access; /**< of each lane; see access.h */
    uint64_t first;         /**< of the lowest active lane */
    uint32_t mask;          /**< active lanes */
    uint32_t site;          /**< place in the source */
    unsigned warp;          /**< in the block */
    sim_pattern pattern;    /**< how the addresses lie */
    uint32_t taken;         /**< lanes whose exchange made a 0 another value */
} sim_request;

/** What a watcher is told; NULL: it does not ask. */
typedef struct {
    /** A buffer of device memory is freed. */
    void (*freed)(uintptr_t start, size_t bytes);
    /** The program has streams, and host code copies to this memory of the
     *  device (@p write) or from it, when sim_now.first_block says. */
    void (*moved)(uintptr_t start, size_t bytes, bool write);
    /** Host code has begun a copy to these bytes (@p write) or from them. */
    void (*copied)(uintptr_t start, size_t bytes, bool write);
    /** A launch begins, as sim_now says; no worker runs. */
    void (*launch_begins)(void);
    /** A worker begins its share of it, on its own OS thread. */
    void (*share_begins)(sim_worker *w);
    /** A block begins, or goes on after it was set aside. */
    void (*block_begins)(sim_worker *w);
    /** A lane has run until it waits, its log is full, or it has returned; its
     *  entries of the log from row @p from on are new. */
    void (*lane_stops)(sim_worker *w, const sim_lane *lane, uint32_t from);
    /** A warp accesses memory. */
    void (*request)(sim_worker *w, const sim_request *r);
    /** Lanes of a warp execute a fence of the device or of the block, behind
     * the requests that came before. */
    void (*fence)(sim_worker *w, unsigned warp, bool device);
    /** Lanes enter a basic block, in a launch that is counted. */
    void (*code)(sim_worker *w, uint32_t mask, uint32_t site);
    /** All lanes of some warps, a bit for each, pass a barrier of the block;
     *  @p first is one of them. */
    void (*barrier)(sim_worker *w, const sim_lane *first, uint32_t warps);
    /** Lanes of a warp have waited for each other in a __syncwarp. */
    void (*sync)(sim_worker *w, unsigned warp, uint32_t lanes);
    /** A thread arrives at a barrier that is an object, perhaps for others:
     *  at that @p number of its block. */
    void (*arrived)(sim_worker *w, unsigned thread, unsigned number);
    /** The products of four warps have ended: of a wgmma. */
    void (*products_ended)(sim_worker *w, unsigned first);
    /** All have arrived there. */
    void (*phase_ended)(sim_worker *w, unsigned number, uint32_t phase);
    /** A thread has waited there for a phase. */
    void (*waited)(sim_worker *w, unsigned thread, unsigned number,
                   uint32_t phase);
    /** All blocks have waited for each other. */
    void (*grid_sync)(void);
    /** The running lane is about to write what others may take for a signal:
     *  by an atomic or a volatile store to global memory. */
    void (*signal)(sim_worker *w, uintptr_t address, unsigned bytes);
    /** It is about to touch what it may not, or what is not @p aligned: the
     *  launch ends. @p address is in device memory (SPACE_GLOBAL), an offset
     *  near shared memory (SPACE_SHARED), or the host's (SPACE_NONE). */
    void (*refused)(sim_worker *w, unsigned space, uint64_t address,
                    bool aligned, unsigned bytes, unsigned op, uint32_t site);
    /** It reads from a buffer that has not been written completely; @p what:
     *  the bits of the access above its address. */
    void (*uninitialised)(sim_worker *w, uintptr_t address, uint64_t what,
                          uint32_t site);
    /** It touches shared memory while copies to the block's are under way. */
    void (*copy_conflict)(sim_worker *w, uint64_t offset, unsigned bytes,
                          unsigned op, uint32_t site);
    /** The running lane has waited for its copies; @p left groups go on. */
    void (*copies_waited)(sim_worker *w, unsigned left);
    /** The copy engine moves @p bytes to shared memory (OP_LOAD) or from it;
     *  they lie in @p sectors of global memory. */
    void (*bulk)(sim_worker *w, unsigned op, uint64_t bytes, uint64_t sectors);
    /** The tensor cores have made @p fma multiply-adds for a warp. */
    void (*product)(sim_worker *w, uint64_t fma);
    /** The launch has ended; @p count workers had a share. */
    void (*launch_ends)(sim_worker *const *workers, int count);
    /** The profiler's range opens, or closes. */
    void (*range)(bool open);
} sim_watcher;

#define MOST_WATCHERS 5

/** For each event, those who ask for it: from the first entry on, and NULL in
 *  the one behind the last. */
extern sim_watcher sim_watchers[MOST_WATCHERS + 1];

/** Tell @p watcher of all that happens, after those that came before. */
void sim_watch(const sim_watcher *watcher);

/** Tell whoever asks: RAISE(barrier, w, first, warps). */
#define RAISE(event, ...)                                                      \
    do                                                                         \
        for (const sim_watcher *watcher_ = sim_watchers; watcher_->event;      \
             watcher_++)                                                       \
            watcher_->event(__VA_ARGS__);                                      \
    while (0)

/** Calls sim_watch() before anything of the core begins. */
#define WATCHES __attribute__((constructor(200)))

#endif
