/**
 * @file launch.c
 * @brief Launches: limits, the pool of workers, the wait for the end.
 *
 * The workers are OS threads that live as long as the process, because their
 * fibers must not move to another thread. A launch gives them a grid; they
 * take its blocks in order, from a counter, until there are none left. So a
 * block may wait for blocks with smaller numbers, as it may on a GPU.
 *
 * The thread that launches waits. It shows the progress and notices when no
 * block finishes any more: a time-out, or a kernel that waits for the host,
 * which then goes on. Who waits for the device waits for that kernel's end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../include/sim.h"
#include "alloc.h"
#include "check.h"
#include "count.h"
#include "crash.h"
#include "errors.h"
#include "findings.h"
#include "grid.h"
#include "launch.h"
#include "order.h"
#include "report.h"
#include "sched.h"
#include "settings.h"
#include "sites.h"
#include "stream.h"
#include "text.h"
#include "trace.h"

#define STACK_BYTES ((size_t)64 * KIB) /**< of a GPU thread, for its calls */
#define MAX_GUARDED 15      /**< workers with guard pages: mappings are few */
#define PROGRESS_STEP 0.25  /**< between two looks at the progress (s) */
#define PATIENCE_AT_END 2.0 /**< for workers to notice the time-out (s) */
#define BUSY_MACHINE 4      /**< times the limit, where others compute, too */

/* ---- workers ------------------------------------------------------------- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_there = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;
static sim_worker **workers;
static int worker_count, wanted, busy;
static uint64_t generation; /* of launches */
static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER;

/** What every fiber runs: one lane after the other. */
static void fiber_body(void)
{
    for (;;) {
        sim_now.run(sim_now.args);
        sim_worker *w = sim_self;
        w->lane->state = LANE_DONE;
        sim_fiber_switch(&w->lane->fiber->stack_pointer, w->scheduler);
    }
}

/** Set up what does not depend on the launch. */
static sim_worker *new_worker(int number)
{
    sim_worker *w = sim_map(sizeof *w);
    w->number = number;
    w->arena = sim_arena;
    w->granules = sim_granules;
    w->counting = sim_counting();
    w->lanes = sim_map(MAX_THREADS * sizeof *w->lanes);
    w->log = sim_map(sizeof *w->log);
    w->known = sim_map(MAX_WARPS * sizeof *w->known);
    w->dynamic_capacity = SHARED_PER_BLOCK;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    w->dynamic = sim_map(w->dynamic_capacity + page);
    mprotect(w->dynamic + w->dynamic_capacity, page, PROT_NONE);
    w->fibers.body = fiber_body;
    w->fibers.stack_bytes = STACK_BYTES;
    w->fibers.guard_pages = sim_settings.threads <= MAX_GUARDED;
    sim_count_open(w);
    return w;
}

/** Give each lane its threadIdx. */
static void number_lanes(sim_worker *w)
{
    unsigned width = sim_now.block[0], height = sim_now.block[1];
    for (unsigned t = 0; t < sim_now.threads; t++) {
        w->lanes[t].x = (uint16_t)(t % width);
        w->lanes[t].y = (uint16_t)(t / width % height);
        w->lanes[t].z = (uint16_t)(t / width / height);
    }
}

/** Set up what does, on the worker's own OS thread. */
static void begin_launch(sim_worker *w)
{
    /* Arrays in local memory live on the stack. Stacks once made stay, so a
     * kernel that needs more gets a new pool. */
    size_t stack = STACK_BYTES + sim_now.local_bytes;
    if (sim_now.args_bytes > STACK_BYTES / 16) /* two copies lie there, too */
        stack += 2 * sim_now.args_bytes;
    stack = (stack + 4095) & ~(size_t)4095;
    if (stack > w->fibers.stack_bytes) {
        w->fibers.idle = NULL;
        w->fibers.stack_bytes = stack;
    }
    if (!w->shared_low) {
        sim_find_arrays(&w->shared_low, &w->shared_bytes);
        w->dynamic_offset = (w->shared_bytes + 127) & ~(size_t)127;
    }
    w->shared_fast = w->shared_bytes;
    w->dynamic_bytes = sim_now.dynamic_bytes;
    /* The end of dynamic shared memory is the end of the mapping, but its
     * start is aligned like that of a GPU. */
    w->dynamic_low =
        ((uintptr_t)w->dynamic + w->dynamic_capacity - sim_now.dynamic_bytes) &
        ~(uintptr_t)127;
    number_lanes(w);
    sim_check_begin(w);
}

/** The life of a worker. */
static void *work(void *argument)
{
    sim_worker *w = argument;
    uint64_t seen = 0;
    sim_self = w;
    sim_crash_stack();
    for (;;) {
        pthread_mutex_lock(&pool_lock);
        while (generation == seen || w->number >= wanted)
            pthread_cond_wait(&work_there, &pool_lock);
        seen = generation;
        pthread_mutex_unlock(&pool_lock);

        begin_launch(w);
        while (!atomic_load(&sim_now.abort)) {
            uint64_t block = atomic_fetch_add(&sim_now.next, 1);
            if (block >= sim_now.blocks)
                break;
            if (sim_run_block(w, block))
                atomic_fetch_add(&sim_now.done, 1);
            else
                sim_grid_pause(w);
        }
        if (sim_now.cooperative)
            sim_grid_run(w);

        pthread_mutex_lock(&pool_lock);
        if (--busy == 0)
            pthread_cond_signal(&work_done);
        pthread_mutex_unlock(&pool_lock);
    }
    return NULL;
}

/** Start OS threads until there are @p count workers. */
static void grow_pool(int count)
{
    if (worker_count >= count)
        return;
    workers = sim_grow(workers, (size_t)count * sizeof *workers);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (worker_count < count) {
        sim_worker *w = new_worker(worker_count);
        pthread_t thread;
        if (pthread_create(&thread, &detached, work, w) != 0) {
            fputs("simulator: cannot start an OS thread\n", stderr);
            exit(STATUS_FAILED);
        }
        workers[worker_count++] = w;
    }
    pthread_attr_destroy(&detached);
}

/* ---- waiting ------------------------------------------------------------- */

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static double cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/** Is it a time-out if nothing has moved on for so long? On a busy machine the
 *  workers have not computed all the time, so they get more of it. */
static bool is_too_long(double elapsed, double cpu)
{
    double limit = sim_settings.timeout;
    pthread_mutex_lock(&pool_lock);
    int computing = busy;
    pthread_mutex_unlock(&pool_lock);
    return elapsed >= limit &&
           (cpu >= limit * computing || elapsed >= BUSY_MACHINE * limit);
}

/** A line on the terminal that vanishes again. */
static void show_progress(double elapsed, double fraction)
{
    static bool shown;
    if (!isatty(STDERR_FILENO))
        return;
    if (fraction < 1.0 && elapsed > 1.0) {
        double left = fraction > 0 ? elapsed / fraction - elapsed : 0;
        fprintf(stderr, "\r%s: %3.0f %% of the blocks, %.0f s left \033[K",
                sim_now.name, fraction * 100.0, left);
        shown = true;
    } else if (shown) {
        fputs("\r\033[K", stderr);
        shown = false;
    }
}

static sim_progress_fn progress = show_progress;

void sim_on_progress(sim_progress_fn callback)
{
    progress = callback;
}

/** Wait for the workers, at most @p limit seconds. @return they are done */
static bool wait_for_workers(double limit)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(limit * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&pool_lock);
    int error = 0;
    while (busy && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&work_done, &pool_lock, &until);
    bool done = !busy;
    pthread_mutex_unlock(&pool_lock);
    return done;
}

/** The workers do not even notice: they are in a loop without hooks. */
_Noreturn static void give_up(void)
{
    sim_finding("timeout",
                (sim_place){.file = sim_now.file, .line = sim_now.line},
                sim_format("no block of %s finished in %g s\nthe threads that "
                           "run are in a loop that touches no memory",
                           sim_now.name, sim_settings.timeout));
    fflush(stdout);
    sim_findings_print();
    fflush(NULL);
    _exit(STATUS_FINDING);
}

/** The share of the launch that is done. Of blocks that wait for each other
 *  none ends before most have begun: one that has begun counts as half. */
static double share_done(uint64_t done)
{
    double begun = (double)atomic_load(&sim_now.next);
    double blocks = (double)sim_now.blocks;
    if (!sim_now.cooperative)
        return (double)done / blocks;
    return ((begun < blocks ? begun : blocks) + (double)done) / (2 * blocks);
}

/** @param leave  go on if the kernel waits for the host
 *  @return has the launch ended? */
static bool wait_for_end(bool leave)
{
    double begin = seconds(), changed = begin, changed_cpu = cpu_seconds();
    uint64_t done = 0, moved = 0;
    while (!wait_for_workers(PROGRESS_STEP)) {
        double now = seconds();
        done = atomic_load(&sim_now.done);
        uint64_t now_moved = done + atomic_load(&sim_now.pauses);
        if (now_moved != moved) {
            changed = now;
            changed_cpu = cpu_seconds();
        } else if (leave && atomic_load(&sim_now.asks_host)) {
            return false;
        }
        moved = now_moved;
        if (progress)
            progress(now - begin, share_done(done));
        if (!is_too_long(now - changed, cpu_seconds() - changed_cpu))
            continue;
        sim_abort(ABORT_TIMEOUT, cudaErrorLaunchTimeout);
        if (wait_for_workers(PATIENCE_AT_END))
            break;
        give_up();
    }
    if (progress)
        progress(seconds() - begin, 1.0);
    return true;
}

/* ---- launching ----------------------------------------------------------- */

/** A launch as it can be recorded; the arguments follow. */
struct request {
    unsigned grid[3];
    unsigned block[3];
    size_t dynamic_bytes;
    size_t args_bytes;
    const void *kernel; /* by its address; NULL: run knows it */
    void (*run)(void *);
    bool cooperative;
    const char *expression;
    const char *file;
    int line;
    _Alignas(16) unsigned char args[];
};

/** What is known about the kernel; NULL: nothing. */
static const sim_kernel_info *kernel_of(const struct request *r)
{
    sim_kernel_info *by_run = sim_kernel_of_run((const void *)r->run);
    return by_run || !r->kernel ? by_run : sim_kernel_at(r->kernel);
}

/** A launch that is refused: what a GPU would say, and why. */
static cudaError_t refuse(const struct request *r, cudaError_t error,
                          const char *why)
{
    sim_finding("launch-limits", (sim_place){.file = r->file, .line = r->line},
                sim_format("%s: %s", r->expression, why));
    return error;
}

/** Would a GPU accept this? */
static cudaError_t check_limits(const struct request *r)
{
    static const unsigned most_threads[3] = MAX_BLOCK;
    static const unsigned most_blocks[3] = MAX_GRID;
    static const char axes[] = "xyz";
    uint64_t threads = (uint64_t)r->block[0] * r->block[1] * r->block[2];
    for (int i = 0; i < 3; i++) {
        if (r->block[i] == 0 || r->block[i] > most_threads[i])
            return refuse(r, cudaErrorInvalidConfiguration,
                          sim_format("blockDim.%c is %u, allowed is 1 to %u",
                                     axes[i], r->block[i], most_threads[i]));
        if (r->grid[i] == 0 || r->grid[i] > most_blocks[i])
            return refuse(r, cudaErrorInvalidConfiguration,
                          sim_format("gridDim.%c is %u, allowed is 1 to %u",
                                     axes[i], r->grid[i], most_blocks[i]));
    }
    if (threads > MAX_THREADS)
        return refuse(r, cudaErrorInvalidConfiguration,
                      sim_format("a block of %u x %u x %u threads, allowed are "
                                 "%d together",
                                 r->block[0], r->block[1], r->block[2],
                                 MAX_THREADS));
    const sim_kernel_info *kernel = kernel_of(r);
    if (kernel && threads > kernel->most_threads)
        return refuse(r, cudaErrorInvalidValue,
                      sim_format("a block of %llu threads; __launch_bounds__ "
                                 "promises at most %u",
                                 (unsigned long long)threads,
                                 kernel->most_threads));
    size_t fixed = kernel ? kernel->shared_bytes : 0;
    size_t limit = kernel ? kernel->dynamic_limit : sim_largest_dynamic_limit();
    if (fixed > SHARED_DEFAULT)
        return refuse(r, cudaErrorInvalidConfiguration,
                      sim_format("%zu bytes of static shared memory, allowed "
                                 "are %d",
                                 fixed, SHARED_DEFAULT));
    if (r->dynamic_bytes > limit ||
        r->dynamic_bytes + fixed > SHARED_PER_BLOCK ||
        (limit <= SHARED_DEFAULT && r->dynamic_bytes + fixed > SHARED_DEFAULT))
        return refuse(r, cudaErrorInvalidValue,
                      sim_format("%zu bytes of dynamic and %zu bytes of static "
                                 "shared memory; allowed are %d together, or "
                                 "%d after cudaFuncSetAttribute()",
                                 r->dynamic_bytes, fixed, SHARED_DEFAULT,
                                 SHARED_PER_BLOCK));
    return cudaSuccess;
}

/** Fill in sim_now for the workers. */
static void describe_launch(struct request *r)
{
    const sim_kernel_info *kernel = kernel_of(r);
    memcpy(sim_now.grid, r->grid, sizeof sim_now.grid);
    memcpy(sim_now.block, r->block, sizeof sim_now.block);
    sim_now.threads = r->block[0] * r->block[1] * r->block[2];
    sim_now.dynamic_bytes = r->dynamic_bytes;
    sim_now.local_bytes = kernel ? kernel->local_bytes : 0;
    sim_now.cooperative = r->cooperative;
    sim_now.run = r->run;
    sim_now.args = r->args;
    sim_now.args_bytes = r->args_bytes;
    sim_now.name = kernel && kernel->name ? kernel->name : r->expression;
    sim_now.file = r->file;
    sim_now.line = r->line;
    sim_now.blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    sim_now.serial++;
    sim_now.check_global =
        sim_settings.check && sim_counting() && sim_now.blocks > 1;
    sim_now.counted = sim_counting() && sim_report_wants();
    sim_now.next = 0;
    sim_now.done = sim_now.pauses = 0;
    sim_now.asks_host = sim_now.shares = false;
    sim_now.abort = ABORT_NO;
    sim_now.error = cudaSuccess;
}

static struct request *current; /* what runs; launch_lock guards it */
static _Atomic bool goes_on;    /* nobody waits for it */

/** Give it to the workers. */
static void begin(const struct request *r)
{
    current = sim_new(sizeof *r + r->args_bytes);
    memcpy(current, r, sizeof *r + r->args_bytes);
    sim_memory_enter();
    describe_launch(current);
    sim_find_initialised();
    sim_order_reset();
    sim_findings_begin_launch();
    if (sim_settings.trace)
        sim_trace_begin();
    int count = sim_settings.threads;
    if (sim_now.blocks < (uint64_t)count)
        count = (int)sim_now.blocks;
    grow_pool(count);
    sim_now.workers = count;

    pthread_mutex_lock(&pool_lock);
    wanted = busy = count;
    generation++;
    pthread_cond_broadcast(&work_there);
    pthread_mutex_unlock(&pool_lock);
}

/** The workers are done: what has come out? */
static cudaError_t end(void)
{
    cudaError_t error = (cudaError_t)atomic_load(&sim_now.error);
    if (error) {
        sim_findings_aborted();
        sim_set_sticky(error);
    }
    sim_memory_leave(!atomic_load(&sim_now.shares),
                     sim_now.blocks * sim_now.threads);
    sim_report_launch(workers, sim_now.workers);
    free(current);
    return error;
}

/** Wait for a launch that goes on; the lock is held. */
static void finish(void)
{
    if (!goes_on)
        return;
    wait_for_end(false);
    end();
    goes_on = false;
}

bool sim_launch_goes_on(void)
{
    if (!goes_on)
        return false;
    if (pthread_mutex_trylock(&launch_lock))
        return true; /* somebody waits for it */
    if (wait_for_workers(0))
        finish();
    pthread_mutex_unlock(&launch_lock);
    return goes_on;
}

void sim_launch_finish(void)
{
    pthread_mutex_lock(&launch_lock);
    finish();
    pthread_mutex_unlock(&launch_lock);
}

cudaError_t sim_launch_now(void *data)
{
    if (sim_self->lane) {
        fprintf(stderr, "simulator: a kernel cannot launch a kernel here\n");
        exit(STATUS_FAILED);
    }
    pthread_mutex_lock(&launch_lock);
    finish();
    begin(data);
    goes_on = !wait_for_end(true);
    cudaError_t error = goes_on ? cudaSuccess : end();
    pthread_mutex_unlock(&launch_lock);
    return error;
}

/** Room for a launch with so many bytes of arguments. */
static struct request *new_request(const unsigned grid[3],
                                   const unsigned block[3],
                                   size_t dynamic_bytes, size_t args_bytes)
{
    sim_settings_read();
    sim_memory_open();
    sim_crash_watch();
    struct request *r = /* aligned to 16, like any */
        sim_grow(NULL, sizeof(struct request) + args_bytes);
    *r = (struct request){.dynamic_bytes = dynamic_bytes,
                          .args_bytes = args_bytes};
    memcpy(r->grid, grid, sizeof r->grid);
    memcpy(r->block, block, sizeof r->block);
    return r;
}

void sim_launch(const unsigned grid[3], const unsigned block[3],
                size_t dynamic_bytes, void *stream, void (*run)(void *args),
                const void *args, size_t args_bytes, const char *expression,
                const char *file, int line)
{
    if (sim_sticky())
        return;
    struct request *r = new_request(grid, block, dynamic_bytes, args_bytes);
    r->run = run;
    r->expression = expression ? expression : "kernel";
    r->file = file;
    r->line = line;
    if (args_bytes)
        memcpy(r->args, args, args_bytes);
    cudaError_t error = check_limits(r);
    if (!error)
        error = sim_enqueue(stream, cudaGraphNodeTypeKernel, sim_launch_now, r,
                            sizeof *r + args_bytes);
    sim_note_error(error);
    free(r);
}

/* ---- kernels by their address -------------------------------------------- */

/** See sim_launch_place(). */
static _Thread_local const char *place_file;
static _Thread_local int place_line;

void sim_launch_place(const char *file, int line)
{
    place_file = file;
    place_line = line;
}

/** Would all blocks of a GPU be there at once? */
static cudaError_t check_cooperative(const struct request *r)
{
    int threads = (int)(r->block[0] * r->block[1] * r->block[2]), blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r->kernel, threads,
                                                  r->dynamic_bytes);
    uint64_t most = (uint64_t)blocks * MULTIPROCESSORS;
    uint64_t wanted_blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    if (wanted_blocks <= most)
        return cudaSuccess;
    return refuse(r, cudaErrorCooperativeLaunchTooLarge,
                  sim_format("%llu blocks are to wait for each other, but "
                             "only %llu can be there at once",
                             (unsigned long long)wanted_blocks,
                             (unsigned long long)most));
}

cudaError_t sim_launch_make(const struct cudaKernelNodeParams *params,
                            bool cooperative, void **launch, size_t *bytes)
{
    const unsigned grid[] = {params->gridDim.x, params->gridDim.y,
                             params->gridDim.z};
    const unsigned block[] = {params->blockDim.x, params->blockDim.y,
                              params->blockDim.z};
    const sim_kernel_info *kernel =
        params->func ? sim_kernel_at(params->func) : NULL;
    if (!kernel || !kernel->pack || params->extra)
        return cudaErrorInvalidDeviceFunction;
    void (*run)(void *);
    size_t args_bytes = kernel->pack(params->func, NULL, NULL, &run);
    struct request *r =
        new_request(grid, block, params->sharedMemBytes, args_bytes);
    r->kernel = params->func;
    r->run = run;
    r->cooperative = cooperative;
    r->file = place_file;
    r->line = place_line;
    sim_launch_place(NULL, 0);
    r->expression = kernel->name ? kernel->name : "kernel";
    kernel->pack(params->func, params->kernelParams, r->args, &run);
    cudaError_t error = check_limits(r);
    if (!error && cooperative)
        error = check_cooperative(r);
    if (error) {
        free(r);
        return error;
    }
    *launch = r;
    *bytes = sizeof *r + args_bytes;
    return cudaSuccess;
}

/** Launch a kernel by its address. */
static cudaError_t launch_by_address(const struct cudaKernelNodeParams *params,
                                     bool cooperative, cudaStream_t stream)
{
    void *launch;
    size_t bytes;
    if (sim_sticky())
        return sim_sticky();
    cudaError_t error = sim_launch_make(params, cooperative, &launch, &bytes);
    if (error)
        return sim_return(error);
    error = sim_enqueue(stream, cudaGraphNodeTypeKernel, sim_launch_now, launch,
                        bytes);
    free(launch);
    return sim_return(error);
}

cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid,
                             struct dim3 block, void **args,
                             size_t dynamic_bytes, cudaStream_t stream)
{
    struct cudaKernelNodeParams params = {(void *)kernel,          grid, block,
                                          (unsigned)dynamic_bytes, args, NULL};
    return launch_by_address(&params, false, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, struct dim3 grid,
                                        struct dim3 block, void **args,
                                        size_t dynamic_bytes,
                                        cudaStream_t stream)
{
    struct cudaKernelNodeParams params = {(void *)kernel,          grid, block,
                                          (unsigned)dynamic_bytes, args, NULL};
    return launch_by_address(&params, true, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *kernel, void **args)
{
    struct cudaKernelNodeParams params = {(void *)kernel,
                                          config->gridDim,
                                          config->blockDim,
                                          (unsigned)config->dynamicSmemBytes,
                                          args,
                                          NULL};
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative)
            cooperative = a->val.cooperative != 0;
        else if (a->id == cudaLaunchAttributeClusterDimension &&
                 (a->val.clusterDim.x > 1 || a->val.clusterDim.y > 1 ||
                  a->val.clusterDim.z > 1))
            return sim_return(cudaErrorNotSupported);
    }
    return launch_by_address(&params, cooperative, config->stream);
}
