/**
 * @file launch.c
 * @brief Launches: the pool of workers, the wait for the end.
 *
 * The workers are OS threads that live as long as the process, because their
 * fibers must not move to another thread. A launch gives them a grid; they
 * take its blocks in order, from a counter, until there are none left. So a
 * block may wait for blocks with smaller numbers, as mostly works on a GPU,
 * too; SIM_ORDER finds who counts on that.
 *
 * The thread that launches waits. It shows the progress and notices when no
 * block finishes any more: a time-out, or a kernel that waits for the host,
 * which then goes on. Who waits for the device waits for that kernel's end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "inside.h"

#define STACK_BYTES ((size_t)64 * KIB) /**< of a GPU thread, for its calls */
#define MAX_GUARDED 15     /**< workers with guard pages: mappings are few */
#define PROGRESS_STEP 0.25 /**< between two looks at the progress (s) */
#define SUSPICIOUS 10.0    /**< without a block that has ended (s) */
/** Turns that waiting blocks get before a worker begins another block. What
 * they wait for may be at work elsewhere; a worker that never waits for it soon
 * has all blocks of the grid waiting. */
#define PATIENT_TURNS 16
#define PATIENCE_AT_END 2.0 /**< for workers to notice the time-out (s) */
#define BUSY_MACHINE 4      /**< times the limit, where others compute, too */

/* ---- workers ------------------------------------------------------------- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_there = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;
static sim_worker **workers;
static int worker_count, wanted, busy;
static pid_t worker_process;
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
    w->dynamic_capacity = SHARED_PER_BLOCK;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    w->dynamic = sim_map(w->dynamic_capacity + page);
    mprotect(w->dynamic + w->dynamic_capacity, page, PROT_NONE);
    w->fibers.body = fiber_body;
    w->fibers.stack_bytes = STACK_BYTES;
    w->fibers.guard_pages = sim_settings.threads <= MAX_GUARDED;
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
        w->dynamic_offset = (w->shared_bytes + 1023) & ~(size_t)1023;
    }
    w->shared_fast = w->shared_bytes;
    w->dynamic_bytes = sim_now.dynamic_bytes;
    w->dynamic_name = NULL;
    /* The end of dynamic shared memory is the end of the mapping, but its
     * start is aligned like that of a GPU. */
    w->dynamic_low =
        ((uintptr_t)w->dynamic + w->dynamic_capacity - sim_now.dynamic_bytes) &
        ~(uintptr_t)127;
    number_lanes(w);
    w->looks = 0;
    RAISE(share_begins, w);
}

/** The life of a worker. */
static void *work(void *argument)
{
    sim_worker *w = argument;
    uint64_t seen = 0;
    sim_self = w;
    for (;;) {
        pthread_mutex_lock(&pool_lock);
        while (generation == seen || w->number >= wanted)
            pthread_cond_wait(&work_there, &pool_lock);
        seen = generation;
        pthread_mutex_unlock(&pool_lock);

        begin_launch(w);
        bool left = true; /* blocks that have not begun */
        int turns = 0;    /* of those that wait, since the latest began */
        for (uint64_t block; left || w->paused;) {
            bool patient = w->paused && turns < PATIENT_TURNS;
            if (left && sim_grid_has_room(w) &&
                (sim_now.cooperative || !patient)) {
                turns = 0;
                left = sim_cluster_next(w, &block);
                if (left && sim_run_block(w, block))
                    atomic_fetch_add(&sim_now.done, 1);
                else if (left)
                    sim_grid_pause(w);
            } else if (sim_grid_turn(w)) {
                turns++;
            } else {
                break; /* the grid goes on together */
            }
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
    worker_process = getpid();
    while (worker_count < count) {
        sim_worker *w = new_worker(worker_count);
        if (pthread_create(&w->thread, &detached, work, w) != 0) {
            fputs("simulator: cannot start an OS thread\n", stderr);
            exit(STATUS_FAILED);
        }
        workers[worker_count++] = w;
    }
    pthread_attr_destroy(&detached);
}

bool sim_launch_signal(int number)
{
    bool runs = busy && worker_process == getpid();
    if (runs)
        pthread_kill(workers[0]->thread, number);
    return runs;
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
    int computing = busy / (int)sim_now.cluster_blocks;
    pthread_mutex_unlock(&pool_lock);
    return elapsed >= limit &&
           (cpu >= limit * computing || elapsed >= BUSY_MACHINE * limit);
}

/** A line on the terminal that vanishes again. What is left is known when a
 *  block has ended. */
static void show_progress(double elapsed, double fraction)
{
    static bool shown;
    if (!isatty(STDERR_FILENO))
        return;
    bool ended = fraction > 0 && atomic_load(&sim_now.done);
    if (elapsed > SUSPICIOUS && !ended) {
        fprintf(stderr,
                "\r%s: no block has ended yet: an endless loop? Ctrl-C says "
                "where it is \033[K",
                sim_now.name);
        shown = true;
    } else if (fraction < 1.0 && elapsed > 1.0) {
        fprintf(stderr, "\r%s: %3.0f %% of the blocks", sim_now.name,
                fraction * 100.0);
        if (ended)
            fprintf(stderr, ", %.0f s left", elapsed / fraction - elapsed);
        fputs(" \033[K", stderr);
        shown = true;
    } else if (shown) {
        fputs("\r\033[K", stderr);
        shown = false;
    }
}

static sim_progress_fn progress = show_progress;

void sim_remark_once(const char *what, atomic_bool *said)
{
    if (progress == show_progress && !atomic_exchange(said, true))
        fprintf(stderr, "%s\n", what);
}

void sim_on_progress(sim_progress_fn callback)
{
    progress = callback;
}

/** Wait for the workers, at most @p limit seconds. @return they are done */
static bool wait_for_workers(double limit)
{
    pthread_mutex_lock(&pool_lock);
    int error = 0;
    while (busy && error != ETIMEDOUT)
        error = sim_wait_for(&work_done, &pool_lock, limit);
    bool done = !busy;
    pthread_mutex_unlock(&pool_lock);
    return done;
}

/** The workers do not even notice: they are in a loop without hooks. */
_Noreturn static void give_up(void)
{
    sim_finding("timeout", (sim_place){0},
                "no block of %s finished in SIM_TIMEOUT=%g s\nthe threads that "
                "run are in a loop that touches no memory",
                sim_now.name, sim_settings.timeout);
    sim_findings_end();
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
        uint64_t now_moved =
            done + atomic_load(&sim_now.pauses) + atomic_load(&sim_now.next);
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
        if (atomic_load(&sim_now.aside))
            sim_now.begun = atomic_load(&sim_now.next);
        sim_abort(ABORT_TIMEOUT, cudaErrorLaunchTimeout);
        if (wait_for_workers(PATIENCE_AT_END))
            break;
        give_up();
    }
    if (progress)
        progress(seconds() - begin, 1.0);
    return true;
}

/* ---- the device ---------------------------------------------------------- */

static _Atomic int sticky;

void sim_set_sticky(cudaError_t error)
{
    sticky = error;
}

cudaError_t sim_sticky(void)
{
    return (cudaError_t)sticky;
}

void sim_range(bool open)
{
    if (open == (sim_now.range != 0))
        return;
    static unsigned opened;
    sim_now.range = open ? ++opened : 0;
    RAISE(range, open);
}

/* ---- launching ----------------------------------------------------------- */

const sim_kernel_info *sim_kernel_of(const sim_job *r)
{
    sim_kernel_info *by_run = sim_kernel_of_run((const void *)r->run);
    return by_run || !r->kernel ? by_run : sim_kernel_at(r->kernel);
}

/** Where it stands among launches that may overlap. */
static void take_place(uint64_t blocks, const char *name, void *const *frames)
{
    sim_now.first_block = sim_turn_begin(blocks, name, frames);
    sim_now.together += sim_now.first_block == 0;
}

void sim_copy_begins(const char *name, void *const *frames)
{
    take_place(1, name, frames);
}

/** Fill in sim_now for the workers. */
static void describe_launch(sim_job *r)
{
    const sim_kernel_info *kernel = sim_kernel_of(r);
    memcpy(sim_now.grid, r->grid, sizeof sim_now.grid);
    memcpy(sim_now.block, r->block, sizeof sim_now.block);
    sim_now.threads = r->block[0] * r->block[1] * r->block[2];
    memcpy(sim_now.cluster, r->cluster, sizeof sim_now.cluster);
    sim_now.cluster_blocks = r->cluster[0] * r->cluster[1] * r->cluster[2];
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
    take_place(sim_now.blocks, sim_now.name, NULL);
    sim_now.counted = false;
    sim_now.next = 0;
    sim_now.done = sim_now.pauses = sim_now.aside = 0;
    sim_now.begun = 0;
    sim_now.resident =
        MULTIPROCESSORS *
        (uint64_t)sim_resident_blocks((int)sim_now.threads, ASSUMED_REGISTERS,
                                      sim_now.dynamic_bytes +
                                          (kernel ? kernel->shared_bytes : 0));
    sim_now.asks_host = sim_now.shares = false;
    sim_now.abort = ABORT_NO;
    sim_now.error = cudaSuccess;
}

static sim_job *current;     /* what runs; launch_lock guards it */
static _Atomic bool goes_on; /* nobody waits for it */

/** Give it to the workers. */
static void begin(const sim_job *r)
{
    current = sim_new(sizeof *r + r->args_bytes);
    memcpy(current, r, sizeof *r + r->args_bytes);
    sim_memory_enter();
    describe_launch(current);
    sim_find_initialised();
    sim_findings_begin_launch();
    int count = sim_settings.threads, size = (int)sim_now.cluster_blocks;
    if (sim_now.blocks / size < (uint64_t)count)
        count = (int)sim_now.blocks / size;
    count *= size;
    sim_now.workers = count;
    RAISE(launch_begins);
    grow_pool(count);
    sim_cluster_form(workers, count);

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
    if (!atomic_load(&sim_now.shares))
        sim_memory_give(current->args, current->args_bytes);
    sim_memory_leave(!atomic_load(&sim_now.shares),
                     sim_now.blocks * sim_now.threads);
    sim_now.looked = false;
    for (int i = 0; i < sim_now.workers; i++)
        sim_now.looked |= workers[i]->looks != 0;
    RAISE(launch_ends, workers, sim_now.workers);
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

/** A child of fork() has none of its parent's threads, and on a GPU nothing of
 *  its device: who waits for them waits for ever. */
static void refuse_child(const sim_job *r)
{
    if (!worker_count || worker_process == getpid())
        return;
    fprintf(stderr,
            "%s:%d: %s is launched by a child of fork(), whose parent has used "
            "the device: CUDA forbids that\n",
            r->file ? r->file : "?", r->line, r->expression);
    _exit(STATUS_FAILED);
}

cudaError_t sim_launch_now(void *data)
{
    refuse_child(data);
    if (sim_self->lane) {
        fprintf(stderr, "simulator: a kernel cannot launch a kernel here\n");
        exit(STATUS_FAILED);
    }
    pthread_mutex_lock(&launch_lock);
    finish();
    sim_print_now();
    begin(data);
    goes_on = !wait_for_end(true);
    cudaError_t error = goes_on ? cudaSuccess : end();
    pthread_mutex_unlock(&launch_lock);
    return error;
}
