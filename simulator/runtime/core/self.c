/**
 * @file self.c
 * @brief What kernels ask about themselves.
 */
#include "inside.h"

/** Between two readings of the clock; a prime, so that spans are not round. */
#define CLOCK_STEP 61
#define CLOCK_DOUBLES 8 /**< readings of a lane until they are twice as far */
#define CLOCK_FASTEST 8 /**< so often doubled, at most */

/** Host code has called a kernel, which a pointer lets it do. @p code is where:
 *  the call, or, where nobody has noticed it (plain mode), in the kernel. */
_Noreturn static void called_by_host(const char *name, const void *code)
{
    char file[PATH_BYTES] = "?";
    sim_memory_open(); /* finds the program's image */
    int line = sim_line_of((uintptr_t)code - 1, file, sizeof file);
    sim_finding("kernel-call", (sim_place){.file = file, .line = line},
                "%s is called as a function\nso no kernel runs: <<<grid, "
                "block>>> launches it",
                name);
    sim_findings_end();
}

void sim_hook_kernel(const void *kernel, const void *caller)
{
    if (!sim_self->lane)
        called_by_host(sim_kernel_get(kernel)->name, caller);
}

/** The lane that asks at @p code. */
static inline const sim_lane *asking_at(const void *code)
{
    const sim_lane *lane = sim_self->lane;
    if (!lane)
        called_by_host("a kernel", code);
    return lane;
}

#define ASKING asking_at(__builtin_return_address(0))
#define COORDINATE(name, value)                                                \
    unsigned sim_##name(void)                                                  \
    {                                                                          \
        return value;                                                          \
    }
COORDINATE(thread_x, ASKING->x)
COORDINATE(thread_y, ASKING->y)
COORDINATE(thread_z, ASKING->z)
COORDINATE(block_x, sim_self->block[0])
COORDINATE(block_y, sim_self->block[1])
COORDINATE(block_z, sim_self->block[2])
COORDINATE(block_dim_x, sim_now.block[0])
COORDINATE(block_dim_y, sim_now.block[1])
COORDINATE(block_dim_z, sim_now.block[2])
COORDINATE(grid_dim_x, sim_now.grid[0])
COORDINATE(grid_dim_y, sim_now.grid[1])
COORDINATE(grid_dim_z, sim_now.grid[2])

void *sim_dynamic_shared(const char *name, size_t element, size_t row)
{
    sim_worker *w = sim_self;
    w->dynamic_name = name;
    w->dynamic_element = (unsigned)element;
    w->dynamic_row = (unsigned)row;
    return (void *)w->dynamic_low;
}

/* Who reads it over and over again waits for time to pass: it passes faster. */
uint64_t sim_clock(void)
{
    static _Atomic uint64_t clock;
    unsigned doubled = sim_self->clock_reads++ / CLOCK_DOUBLES;
    if (doubled > CLOCK_FASTEST)
        doubled = CLOCK_FASTEST;
    return atomic_fetch_add(&clock, (uint64_t)CLOCK_STEP << doubled);
}

/** A thread ends its launch. */
_Noreturn static void end_launch(const char *kind, const char *what,
                                 const char *file, int line, int error)
{
    sim_worker *w = sim_self;
    sim_finding(
        kind, (sim_place){.file = file, .line = line, .block = w->block_number},
        "%s\nfor %s", what, sim_here(w));
    sim_end_launch(w, error);
}

void sim_assert_failed(const char *expression, const char *file, int line)
{
    if (!sim_self->lane) {
        fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line,
                expression);
        abort();
    }
    end_launch("assertion", sim_format("%s is false", expression), file, line,
               cudaErrorAssert);
}

void sim_trap(const char *file, int line)
{
    if (!sim_self->lane)
        abort();
    end_launch("trap", "__trap() ends the launch", file, line,
               cudaErrorLaunchFailure);
}
