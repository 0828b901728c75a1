/**
 * @file sim.h
 * @brief What compiled kernels and host programs say to the simulator.
 *
 * Valid C11 and C++17. Three groups of functions, in the order in which a
 * program meets them:
 *
 *   1. registration   written into each object file by lower.py
 *   2. device side    called by the shim headers and by the hooks in kernels
 *   3. host side      what a program asks after a launch
 *
 * A **site** is a place in the source where a kernel touches memory, waits,
 * or enters a basic block. lower.py numbers the sites of a program from 1 on,
 * in an order in which the blocks of a loop stand together and before its
 * exits; 0 means "unknown" and is what plain mode passes. Every function below
 * that takes a site as its last argument is called with 0 by the shim, and
 * lower.py puts the number in.
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Tells clang that a call must stay where it is: not merged, not moved. */
#if defined(__clang__)
#define SIM_CONVERGENT __attribute__((convergent, nomerge, nothrow))
#else
#define SIM_CONVERGENT __attribute__((noclone, nothrow))
#endif

/** Tells a compiler that a call only depends on what it is given, and on the
 *  thread that runs. */
#define SIM_CONST __attribute__((const))

/* ---- 1. registration ----------------------------------------------------- */

/**
 * The sites and kernels of one object file; a constructor registers it.
 *
 * @p sites is text, one line per site, fields separated by tabs:
 *
 *     A <file>:<line>:<col>             a memory access; C: the store of a
 *                                       constant; R: a load of __ldg, a texture
 *     W <file>:<line>:<col>             a barrier or warp operation
 *     B <file>:<line>:<col> <name>=<n>  a basic block, then the operations of
 * one lane in it E <file>:<line>:<col> <name>=<n>  an access that begins a
 * block, for speed; e: C; r: R
 *
 * Operations: ffma fadd fmul fdiv special double integer branch. A position
 * may begin with ~ (the compiler lost it: the nearest earlier line) and may
 * go on with " <- file:line:col" for each call it was inlined into.
 */
typedef struct sim_module {
    uint32_t first_site;         /**< number of the first line of sites */
    uint32_t site_count;         /**< lines in sites */
    const char *sites;           /**< see above, zero-terminated */
    void (*shared_arrays)(void); /**< calls sim_shared_array() for each array,
                                      on the OS thread that asks */
    void (*kernels)(void);       /**< calls sim_kernel() for each kernel */
    struct sim_module *next;     /**< list of the runtime */
} sim_module;

/** Add a module; called before main(). */
void sim_register(sim_module *module);

/**
 * One `__shared__` array of the calling OS thread.
 *
 * @param name        "kernel::tile"
 * @param address     of this OS thread's
 * @param bytes       of all of it
 * @param element     bytes of one element
 * @param dimensions  "32 33": elements in each; "" for a single variable
 */
void sim_shared_array(const char *name, void *address, size_t bytes,
                      size_t element, const char *dimensions);

/**
 * One `__global__` function.
 *
 * @param kernel        its address
 * @param name          readable: "tile<32>"
 * @param shared_bytes  static shared memory that it and its callees use
 * @param local_bytes   arrays that did not fit registers (bytes per thread)
 * @param most_threads  of a block: its __launch_bounds__; 0: none
 */
void sim_kernel(const void *kernel, const char *name, size_t shared_bytes,
                size_t local_bytes, unsigned most_threads);

/** Its __cluster_dims__. */
void sim_kernel_cluster(const void *kernel, unsigned x, unsigned y, unsigned z);

/** One `__device__`, `__constant__` or `__managed__` variable; as above.
 *  @param managed  the host may use it by its name */
void sim_variable(const char *name, void *address, size_t bytes, size_t element,
                  const char *dimensions, bool managed);

/** A kernel may call it by a pointer. */
void sim_device_function(const void *function);

/** @p run, as given to sim_launch(), launches @p kernel. */
void sim_kernel_run(const void *run, const void *kernel);

/* ---- 2. device side ------------------------------------------------------ */

/**
 * Run a kernel: every block of the grid, every thread of each block.
 *
 * @param grid,block     x, y, z
 * @param dynamic_bytes  dynamic shared memory of a block
 * @param stream         executed at once; recorded while the stream captures
 * @param run            calls the kernel with the arguments behind @p args
 * @param args           copied, @p args_bytes of them
 * @param expression     "tile<32>", for reports of plain mode
 * @param file,line      of the launch
 */
void sim_launch(const unsigned grid[3], const unsigned block[3],
                size_t dynamic_bytes, void *stream, void (*run)(void *args),
                const void *args, size_t args_bytes, const char *expression,
                const char *file, int line);

/**
 * Pack a kernel that is given by its address, and its arguments.
 *
 * @param args  addresses of the arguments
 * @param to    receives what @p run needs; NULL: only its size is asked for
 * @param run   receives what calls the kernel
 * @return bytes at @p to
 */
typedef size_t (*sim_pack_fn)(const void *kernel, void **args, void *to,
                              void (**run)(void *));

/** The next launch by address, of this OS thread, stands here. */
void sim_launch_place(const char *file, int line);

/** Launches by address may use @p pack for this kernel. */
void sim_kernel_pack(const void *kernel, sim_pack_fn pack);

/** What printf, puts and putchar of kernels become. */
int sim_printf(const char *format, ...);
int sim_puts(const char *line);
int sim_putchar(int letter);

/** Coordinates of the calling GPU thread. */
#define SIM_COORDINATES(name)                                                  \
    SIM_CONST unsigned sim_##name##_x(void);                                   \
    SIM_CONST unsigned sim_##name##_y(void);                                   \
    SIM_CONST unsigned sim_##name##_z(void);
SIM_COORDINATES(thread)
SIM_COORDINATES(block)
SIM_COORDINATES(block_dim)
SIM_COORDINATES(grid_dim)

/** Start of the block's dynamic shared memory, 16-byte aligned.
 *  @param name     of the array that the kernel declares there
 *  @param element  bytes of one
 *  @param row      elements of a row; 1: it has one dimension */
SIM_CONST void *sim_dynamic_shared(const char *name, size_t element,
                                   size_t row);

/** Offset of @p p in the block's shared memory. */
SIM_CONST size_t sim_shared_offset(const void *p);

/** The inverse of sim_shared_offset(). */
SIM_CONST void *sim_shared_pointer(size_t offset);

/** The same, and above bit 24 the rank of a block in its cluster
 *  (__cvta_generic_to_shared). */
SIM_CONST size_t sim_shared_address(const void *p);

/** The inverse of sim_shared_address(). */
void *sim_shared_at(size_t address, uint32_t site);

/** Rank of the calling thread's block in its cluster; the cluster's blocks. */
SIM_CONST unsigned sim_cluster_rank(void);
SIM_CONST unsigned sim_cluster_blocks(void);

/** What corresponds to @p p in the shared memory of another block. */
void *sim_cluster_map(const void *p, unsigned rank, uint32_t site);

/** Arrive at the cluster's barrier; wait for all its threads. */
SIM_CONVERGENT void sim_cluster_arrive(uint32_t site);
SIM_CONVERGENT void sim_cluster_wait(uint32_t site);

/** Was the kernel launched with cudaLaunchCooperativeKernel()? */
bool sim_is_cooperative(void);

/** Wait for all threads of the grid; only in a cooperative launch. */
SIM_CONVERGENT void sim_wait_grid(const char *file, int line, uint32_t site);

/** What __syncthreads and its relatives do with their predicate. */
enum { SIM_BARRIER, SIM_BARRIER_AND, SIM_BARRIER_OR, SIM_BARRIER_COUNT };

/** Wait for all live threads of the block. @return the combined predicate */
SIM_CONVERGENT int sim_barrier(int op, int predicate, const char *file,
                               int line, uint32_t site);

/** Operations of a group of lanes of one warp. */
enum {
    SIM_WARP_SYNC,         /**< wait */
    SIM_SHUFFLE,           /**< value of lane `source` of the segment */
    SIM_SHUFFLE_UP,        /**< value of lane - source */
    SIM_SHUFFLE_DOWN,      /**< value of lane + source */
    SIM_SHUFFLE_XOR,       /**< value of lane ^ source */
    SIM_BALLOT,            /**< mask of lanes whose value is not 0 */
    SIM_MATCH_ANY,         /**< mask of lanes with an equal value */
    SIM_MATCH_ALL,         /**< the mask if all values are equal, else 0 */
    SIM_REDUCE_ADD,        /**< 32-bit sum */
    SIM_REDUCE_MIN_SIGNED, /**< ... and so on for __reduce_*_sync */
    SIM_REDUCE_MAX_SIGNED,
    SIM_REDUCE_MIN_UNSIGNED,
    SIM_REDUCE_MAX_UNSIGNED,
    SIM_REDUCE_AND,
    SIM_REDUCE_OR,
    SIM_REDUCE_XOR,
    SIM_TOGETHER /**< sim_warp_together() */
};

/**
 * Wait until all live lanes of @p mask have called with the same @p op, then
 * combine their values.
 *
 * @param op      one of the above
 * @param mask    lanes that take part, the caller among them
 * @param value   of the caller, up to 8 bytes
 * @param source  shuffles: lane, delta or lane mask
 * @param width   shuffles: lanes per segment, a power of two up to 32
 */
SIM_CONVERGENT uint64_t sim_warp(int op, unsigned mask, uint64_t value,
                                 int source, int width, const char *file,
                                 int line, uint32_t site);

/**
 * Wait until all 32 lanes of the warp have come, then do something once for
 * all, before any of them goes on: what tensor cores need.
 *
 * @param together   receives what each lane has brought
 * @param brought    of the caller
 */
SIM_CONVERGENT void sim_warp_together(void (*together)(void *brought[32]),
                                      void *brought, const char *file, int line,
                                      uint32_t site);

/** Formats of numbers: 5, 8, 8 bits of exponent; tf32 is a float of which
 *  tensor cores use 19 bits. */
enum {
    SIM_HALF,
    SIM_BFLOAT16,
    SIM_TF32,
    SIM_FLOAT,
    SIM_S8,
    SIM_U8,
    SIM_S32,
    SIM_DOUBLE
};

/** Matrices of d = a * b + c. */
enum { SIM_MATRIX_A, SIM_MATRIX_B, SIM_ACCUMULATOR };

/** A matrix that lies in the registers of a warp: nvcuda::wmma::fragment. */
typedef struct {
    int part;     /**< SIM_MATRIX_A ... */
    int format;   /**< of its elements */
    int m, n, k;  /**< of the product: a is m x k, b is k x n */
    int elements; /**< of each lane; where there are more than the matrix has,
                       they are there several times */
} sim_fragment;

/**
 * Load or store a matrix, all lanes together, with the requests of an H200.
 *
 * @param registers  the caller's elements
 * @param p          the matrix's first element, global or shared memory
 * @param pitch      elements from one row to the next; from one column to the
 *                   next if @p columns
 */
SIM_CONVERGENT void sim_matrix_load(const sim_fragment *fragment,
                                    void *registers, const void *p,
                                    unsigned pitch, bool columns,
                                    const char *file, int line, uint32_t site);
SIM_CONVERGENT void sim_matrix_store(const sim_fragment *fragment,
                                     const void *registers, void *p,
                                     unsigned pitch, bool columns,
                                     const char *file, int line, uint32_t site);

/**
 * d = a * b + c, all lanes together.
 *
 * @param fragments  of a, b, c, d
 * @param registers  the caller's elements of a, b, c, d
 */
SIM_CONVERGENT void sim_matrix_multiply(const sim_fragment fragments[4],
                                        void *const registers[4], bool saturate,
                                        const char *file, int line,
                                        uint32_t site);

/** @p x with the 10 bits of fraction that tensor cores use; halfway away. */
SIM_CONST float sim_to_tf32(float x);

/**
 * Wait for @p count neighbouring threads of the block, from thread number
 * @p first on; those that have returned count as having come.
 */
SIM_CONVERGENT void sim_tile_sync(unsigned first, unsigned count,
                                  const char *file, int line, uint32_t site);

/** Show a value of the calling thread, until the tile's next barrier. */
void sim_lane_show(const void *value);

/** Copy @p bytes of what thread number @p thread of the block shows. */
void sim_lane_look(unsigned thread, void *value, size_t bytes);

/**
 * A barrier that is an object in shared memory: cuda::barrier.
 *
 * A phase is complete when `expected` arrivals have come; then the next one
 * begins. All are called with the object's address.
 */
typedef struct {
    uint32_t magic;         /**< tells that it was initialised */
    uint32_t phase;         /**< phases that are complete */
    int32_t expected;       /**< arrivals of a phase */
    int32_t pending;        /**< those that this phase still waits for */
    uint32_t init_clock;    /**< of the block, when it was initialised */
    uint16_t number;        /**< of the block's barriers; see wait.c */
    uint16_t thread;        /**< that initialised it, */
    uint32_t rank;          /**< of the block with this rank in its cluster, */
    uint32_t cluster_phase; /**< after so many barriers of that */
    int64_t expected_bytes; /**< that this phase still waits for, */
    int64_t bytes;          /**< and those that have been copied */
} sim_mbarrier;

/** mbarrier of PTX, 8 bytes at an address of shared memory. */
sim_mbarrier *sim_mbarrier_at(uint32_t address, uint32_t site);

/** The calling thread uses it: has it been initialised? */
void sim_mbarrier_use(const sim_mbarrier *barrier, uint32_t site);

/** expect_tx: this phase waits for so many more bytes. */
void sim_mbarrier_expect(sim_mbarrier *barrier, uint32_t bytes, uint32_t site);

/** Initialise for @p expected arrivals a phase. */
void sim_mbarrier_init(sim_mbarrier *barrier, int expected, uint32_t site);

/** Arrive @p count times, and leave it @p drop times smaller.
 *  @return the phase, for sim_mbarrier_wait() */
SIM_CONVERGENT uint32_t sim_mbarrier_arrive(sim_mbarrier *barrier, int count,
                                            int drop, const char *file,
                                            int line, uint32_t site);

/** Wait for the end of a phase. */
SIM_CONVERGENT void sim_mbarrier_wait(sim_mbarrier *barrier, uint32_t phase,
                                      const char *file, int line,
                                      uint32_t site);

/** Wait for the end of the phase under way, if it is an odd (1) or even (0)
 *  one as @p parity says: else that one has ended. */
SIM_CONVERGENT void sim_mbarrier_wait_parity(sim_mbarrier *barrier, bool parity,
                                             const char *file, int line,
                                             uint32_t site);

/** Wait for so many threads of the block at one of its barriers (bar.sync). */
SIM_CONVERGENT void sim_numbered_barrier(unsigned number, int threads,
                                         uint32_t site);

/** Has a phase ended? Other threads have had a turn. */
SIM_CONVERGENT bool sim_mbarrier_test(sim_mbarrier *barrier, uint32_t phase,
                                      uint32_t site);

/**
 * Begin to copy from global to shared memory, as cp.async does.
 *
 * The bytes are there when the calling thread has waited for them, or when a
 * phase of @p barrier ends at which it has arrived since. Who touches the
 * target before makes a finding. Other directions are copied at once.
 *
 * @param bytes    to write
 * @param zeros    so many of them, the last, are 0 and not read
 * @param barrier  NULL: waits with sim_async_wait()
 */
void sim_async_copy(void *to, const void *from, size_t bytes, size_t zeros,
                    sim_mbarrier *barrier, uint32_t site);

/**
 * Copy in bulk to shared memory, as cp.async.bulk does: multiples of 16 bytes.
 *
 * They are there when a phase of @p barrier ends at which the calling thread
 * has arrived since, or which expected them before. It ends when as many bytes
 * have come as are expected: with another number, never. Checked like other
 * accesses, but no request of a warp: counted by bytes only.
 */
void sim_async_bulk(void *to, const void *from, size_t bytes,
                    sim_mbarrier *barrier, uint32_t site);

/** The same from shared to global memory, where the bytes are when the calling
 *  thread has waited for their group. Who overwrites the source before makes a
 *  finding. */
void sim_bulk_store(void *to, const void *from, size_t bytes, uint32_t site);

/** Close a group of such copies. */
void sim_bulk_commit(void);

/** Wait for all such groups but the latest @p left. */
void sim_bulk_wait(uint32_t left);

/** Close a group: the copies since the last one. */
void sim_async_commit(void);

#define SIM_ASYNC_ALL UINT32_MAX /**< also what is in no group yet */

/** Wait for all groups but the latest @p left. */
void sim_async_wait(uint32_t left, uint32_t site);

/** A moment for others, in plain mode, where no hook knows that a loop waits.
 */
SIM_CONVERGENT void sim_pause(void);

/** Lanes that are here together, as far as the simulator knows. */
SIM_CONVERGENT unsigned sim_active_mask(uint32_t site);

/** Read-modify-write operations. */
enum {
    SIM_ATOMIC_ADD,
    SIM_ATOMIC_MIN_SIGNED,
    SIM_ATOMIC_MAX_SIGNED,
    SIM_ATOMIC_MIN_UNSIGNED,
    SIM_ATOMIC_MAX_UNSIGNED,
    SIM_ATOMIC_AND,
    SIM_ATOMIC_OR,
    SIM_ATOMIC_XOR,
    SIM_ATOMIC_EXCHANGE,
    SIM_ATOMIC_COMPARE_SWAP, /**< to value where the word equals compare */
    SIM_ATOMIC_INCREMENT,    /**< atomicInc: wraps to 0 above value */
    SIM_ATOMIC_DECREMENT,    /**< atomicDec */
    SIM_ATOMIC_ADD_FLOAT,    /**< float or double by bytes */
    SIM_ATOMIC_ADD_HALF,     /**< one of 2 bytes, two of 4 */
    SIM_ATOMIC_ADD_BFLOAT16, /**< the same */
    SIM_ATOMIC_ONE = 32,     /**< or-ed in: the value is the constant 1 */
    SIM_ATOMIC_SYSTEM = 64,  /**< or-ed in: the host may see it, too */
    SIM_ATOMIC_BLOCK = 128   /**< or-ed in: only the block sees it as one */
};

/**
 * One atomic operation: logged, then done.
 *
 * @param p        global or shared memory
 * @param bytes    4 or 8; 2 for SIM_ATOMIC_ADD_HALF and _BFLOAT16
 * @param op       one of the above
 * @param value    operand (float and double by their bits)
 * @param compare  SIM_ATOMIC_COMPARE_SWAP only
 * @param used     1: the result is used; lower.py puts 0 where it is not
 * @param site     see above
 * @return the old value
 */
uint64_t sim_atomic(void *p, int bytes, int op, uint64_t value,
                    uint64_t compare, int used, uint32_t site);

/** __threadfence (1: device), __threadfence_block (0), _system (2). */
void sim_fence(int scope, uint32_t site);

/** fence.proxy.async: what this thread wrote is seen by bulk copies, wgmma. */
void sim_fence_proxy(uint32_t site);

/** Rounding modes of __fadd_rn(), _rz, _ru, _rd, and operations that have them.
 */
enum { SIM_TO_NEAREST, SIM_TO_ZERO, SIM_UP, SIM_DOWN };
enum {
    SIM_SUM,
    SIM_DIFFERENCE,
    SIM_PRODUCT,
    SIM_MULTIPLY_ADD,
    SIM_QUOTIENT,
    SIM_ROOT
};

/**
 * One operation of IEEE 754, rounded as asked.
 *
 * @param operation  one of the above; lower.py reads which one it counts
 * @param rounding   one of the above
 * @param a,b,c      operands, as many as it takes
 */
SIM_CONST float sim_round_float(int operation, int rounding, float a, float b,
                                float c);
SIM_CONST double sim_round_double(int operation, int rounding, double a,
                                  double b, double c);

/** Conversions to a narrower type; the integer is @p high * 2^32 + @p low. */
SIM_CONST float sim_round_to_float(int rounding, double x);
SIM_CONST float sim_round_integer_to_float(int rounding, int64_t high,
                                           uint32_t low);
SIM_CONST double sim_round_integer_to_double(int rounding, int64_t high,
                                             uint32_t low);

/** XORWOW's five words after so many steps, and sequences of 2^67 steps. */
void sim_xorwow_skip(uint32_t *v, uint64_t steps, uint64_t sequences);

/** What half and bfloat16 have beside SIM_SUM ... SIM_ROOT; of two zeros +0 is
 *  the larger one. The last two are or-ed in: into 0 to 1, no less than 0. */
enum {
    SIM_RECIPROCAL_ROOT = SIM_ROOT + 1,
    SIM_MINIMUM,     /**< of a number and NaN: the number */
    SIM_MAXIMUM,     /**< the same */
    SIM_MINIMUM_NAN, /**< of a number and NaN: NaN */
    SIM_MAXIMUM_NAN, /**< the same */
    SIM_SATURATED = 32,
    SIM_NOT_NEGATIVE = 64
};

/** The number of 16 bits next to @p x in the direction of @p rounding. */
SIM_CONST uint16_t sim_small_from(int format, int rounding, double x);

/** The same for the integer @p high * 2^32 + @p low. */
SIM_CONST uint16_t sim_small_from_integer(int format, int rounding,
                                          int64_t high, uint32_t low);

/** The value of a number of 16 bits. */
SIM_CONST float sim_small_value(int format, uint16_t bits);

/** One operation on numbers of 16 bits, rounded once, to nearest. */
SIM_CONST uint16_t sim_small_calculate(int format, int operation, uint16_t a,
                                       uint16_t b, uint16_t c);

/** A count that only grows, for clock64() and %globaltimer (ns). */
uint64_t sim_clock(void);

/** assert() in a kernel: report with the thread's indices, end the launch; in
 *  host code end the program. */
void sim_assert_failed(const char *expression, const char *file, int line);

/** __trap() in a kernel. */
void sim_trap(const char *file, int line);

/*
 * The hooks that lower.py puts before every access of a kernel. _r read,
 * _w write, _rw read then write of the same address, _v volatile, _vu volatile
 * write of what was just read there.
 */
#define SIM_HOOKS(n)                                                           \
    void sim_hook_r##n(const void *p, uint32_t site);                          \
    void sim_hook_w##n(const void *p, uint32_t site);                          \
    void sim_hook_rw##n(const void *p, uint32_t site);                         \
    void sim_hook_vr##n(const void *p, uint32_t site);                         \
    void sim_hook_vw##n(const void *p, uint32_t site);                         \
    void sim_hook_vu##n(const void *p, uint32_t site);
SIM_HOOKS(1)
SIM_HOOKS(2)
SIM_HOOKS(4)
SIM_HOOKS(8)
SIM_HOOKS(16)

/** memcpy, memset and badly aligned accesses, as pieces of @p piece bytes. */
void sim_hook_range(const void *p, size_t bytes, uint32_t piece, uint32_t write,
                    uint32_t site);

/** A lane enters a basic block. */
void sim_hook_block(uint32_t site);

/** Integer division: ends the launch with a finding if @p divisor is 0. */
void sim_hook_divide(uint64_t divisor, uint32_t site);

/** Call of the function at an address: a finding if it is one of the host. */
void sim_hook_call(uint64_t function, uint32_t site);

/** Access of @p bytes in an array of one thread: a finding if it leaves it, or
 *  is not aligned.
 *  @param how  1: a store; the bits above: of what the address is a multiple */
void sim_hook_local(uint64_t address, uint64_t array, uint64_t size,
                    uint64_t bytes, uint32_t how, const char *name,
                    uint32_t site);

/** Behind an array of one thread that other functions get: mark its zone, and
 *  at the function's end make plain memory of it. */
void sim_hook_zone(void *zone, const char *name);
void sim_hook_zone_end(void *zone);

/** A kernel begins: a finding if host code has called it as a function. */
void sim_hook_kernel(const void *kernel, const void *caller);

/** A call of a device function begins, ends: deeper lanes go first. */
void sim_hook_enter(void);
void sim_hook_leave(void);

/** This parameter of the kernel, of @p bytes, is a __grid_constant__: not the
 *  thread's own copy. */
void sim_hook_grid_constant(const void *p, size_t bytes);

/** Inline PTX: slots of 8 bytes for its results, then for the operands.
 *  @param kept  what the runtime has made of the text; NULL: nothing yet */
void sim_hook_ptx(const char *text, void **kept, uint64_t *slots,
                  uint32_t site);

/** Host code will not use what the next call of the API returns, this one. */
void sim_unread(const char *call);

/** As far as the compiler knows them, the bytes that the next copy has room for
 *  in arrays of the host, at either end; else -1. */
void sim_room(size_t to, size_t from);

/* ---- 3. host side -------------------------------------------------------- */

/**
 * Name an array in device memory: findings then say `A[128][3]`, not bytes.
 *
 * Nothing happens if @p pointer is in no buffer.
 *
 * @param pointer        its first element
 * @param name           copied, at most 31 characters of it
 * @param element_bytes  of one element
 * @param cols           elements of a row that belong to the array
 * @param ld             row pitch in elements; 0: the array has one dimension
 */
void sim_name_array(const void *pointer, const char *name, size_t element_bytes,
                    int64_t cols, int64_t ld);

/**
 * From now on cudaMalloc() and the like give any size that has addresses:
 * memory is taken where it is touched, and the program knows how much that is.
 *
 * Otherwise they fail where the machine's memory would not hold all of it.
 */
void sim_memory_by_use(void);

/** One counter, under the name that tables of ncu use. */
typedef struct {
    const char *name; /**< "global_load_sectors" */
    double value;     /**< whole for all but the ratios */
} sim_count;

/**
 * The counters of a range of launches, summed.
 *
 * A range begins with cudaProfilerStart(), when the counters become 0, and ends
 * with cudaProfilerStop(), after which they stay as they are. Without these
 * calls: all launches so far.
 *
 * @param counts    receives at most @p capacity of them, in a fixed order
 * @param capacity  entries in @p counts
 * @return how many there are; 0 in plain mode
 */
int sim_counters(sim_count *counts, int capacity);

/** Findings so far, notes not among them. */
int sim_finding_count(void);

/** The text of finding @p i, "file:line:col: kind: message". */
const char *sim_finding_text(int i);

/** false: plain mode, where nothing is counted and little is detected. */
bool sim_counting(void);

/**
 * Called by the launching thread about four times a second while a launch runs.
 *
 * @param elapsed   since the launch began (s)
 * @param fraction  of its blocks that are done, 0 to 1
 */
typedef void (*sim_progress_fn)(double elapsed, double fraction);

/** Replace the default, a progress line on a terminal; NULL: none. Whoever does
 *  gets no remarks either, such as that a time is none of a GPU. */
void sim_on_progress(sim_progress_fn callback);

#ifdef __cplusplus
}
#endif

#endif
