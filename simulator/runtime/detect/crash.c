/**
 * @file crash.c
 * @brief Turns a signal inside a kernel into a finding with a line.
 *
 * With hooks a bad access is noticed before it happens. What is left is plain
 * mode, and stacks that overflow. The program cannot go on, so the findings
 * are printed here and the process ends.
 *
 * Host code that touches device memory comes here as well, because its pages
 * are closed (memory.c). Of any other signal in host code the line is said,
 * then it is left to the system.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "detect.h"

#define HANDLER_STACK (64 * KIB) /**< bytes */
#define LOOKS 1000               /**< for a lane that runs */
#define LOOK_US 500              /**< between two of them (us) */

/** The last access that the running lane has logged, 0: none. */
static uint32_t last_site(const sim_worker *w)
{
    return w->counting && w->logged ? w->key[w->logged - 1] & SITE_MASK : 0;
}

/** What happened, and of which kind it is. */
static const char *describe(const sim_worker *w, int number, uintptr_t address,
                            const char **kind)
{
    *kind = "host-pointer";
    if (number == SIGFPE) {
        *kind = "division-by-zero";
        return sim_format("integer division by 0\nin %s, by %s", sim_now.name,
                          sim_here(w));
    }
    if (sim_stack_is_full(w, address)) {
        *kind = "array-bounds";
        return sim_format("a full stack of %zu bytes\nin %s, of %s",
                          w->stack_bytes, sim_now.name, sim_here(w));
    }
    if (in_arena(address)) {
        *kind = "out-of-bounds-global";
        return sim_format(
            "access of %s\n%s\nin %s, by %s", sim_name_global(address, 4),
            sim_where_global(address, 4), sim_now.name, sim_here(w));
    }
    return sim_format("access of %s\nat address %#llx, in %s, by %s",
                      address < 65536 ? "a null pointer" : "host memory",
                      (unsigned long long)address, sim_now.name, sim_here(w));
}

/* ---- the host in device memory ------------------------------------------- */

/** The address of the instruction that a signal interrupted. */
static uintptr_t interrupted(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

/** What the host does: "read", "write", or "access" if nobody knows. */
static const char *direction(const ucontext_t *context)
{
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? "write" : "read";
#else
    (void)context;
    return "access";
#endif
}

/** The program's own line that did it: that of the interrupted instruction, or
 *  who called it in a library or in the runtime. @p file keeps its name. */
static sim_place own_place(const ucontext_t *context, char file[PATH_BYTES])
{
    uintptr_t at = interrupted(context);
    sim_place place = {.file = file};
    strcpy(file, "?");
    sim_memory_open(); /* finds the program's image */
    if (at - sim_image < sim_image_bytes)
        place.line = sim_line_of(at, file, PATH_BYTES);
    return place.line ? place : sim_caller();
}

/** Host code itself has failed, as it would on any machine. */
static void report_crash(int number, uintptr_t address,
                         const ucontext_t *context)
{
    char file[PATH_BYTES];
    const char *what =
        number == SIGFPE ? "a division by zero"
        : number != SIGSEGV
            ? strsignal(number)
            : sim_format("%s of %s", direction(context),
                         address < 65536
                             ? "a null pointer"
                             : sim_format("address %#llx, which is no memory",
                                          (unsigned long long)address));
    sim_finding("host-crash", own_place(context, file), "%s\nby host code",
                what);
}

/** Host code has touched what only kernels may, or what they or copies may
 *  still use.
 *  @param touch  of pinned memory, that is early
 *  @param work   where the copy or the launch is
 *  @return false: it was something else */
static bool report_host(uintptr_t address, const ucontext_t *context,
                        sim_touch touch, const sim_place *work)
{
    sim_allocation b;
    bool variable = sim_is_variable(address);
    bool managed =
        variable ? sim_is_managed_variable(address)
                 : sim_find((void *)address, &b) && b.kind == BUFFER_MANAGED;
    if (!variable && !touch && !(in_arena(address) && sim_nearest(address, &b)))
        return false;
    char file[PATH_BYTES];
    sim_place place = own_place(context, file);
    const char *name = sim_name_global(address, 4);
    const char *why =
        touch
            ? sim_format("pinned memory, and the %s of line %d may still "
                         "%s it: cudaStreamSynchronize comes first",
                         touch == TOUCH_STORED ? "kernel" : "copy", work->line,
                         touch == TOUCH_STORED ? "write" : "bring")
        : managed  ? "managed memory, and a kernel may still use it: "
                     "cudaDeviceSynchronize comes first"
        : variable ? "a __device__ or __constant__ variable: "
                     "cudaMemcpyFromSymbol and cudaMemcpyToSymbol copy it"
                   : "memory of the device, which only kernels and cudaMemcpy "
                     "may use";
    sim_finding(
        "host-dereference", place, "%s of %s\nby host code; it is %s%s",
        direction(context), name, why,
        place.line ? "" : " (the line is unknown: addr2line did not find it)");
    return true;
}

/* ---- signals ------------------------------------------------------------- */

static void on_signal(int number, siginfo_t *info, void *context)
{
    const sim_worker *w = sim_self;
    uintptr_t address = (uintptr_t)info->si_addr;
    sim_place work;
    sim_touch touch =
        number == SIGSEGV ? sim_pinned_touched(address, &work) : TOUCH_OTHER;
    if (touch == TOUCH_RIGHT ||
        (touch == TOUCH_STORED && !sim_is_stored(address)))
        return;
    if (!w->lane && number == SIGSEGV &&
        report_host(address, context, touch, &work))
        sim_findings_end();
    if (!w->lane) { /* host code: as if nobody watched */
        signal(number, SIG_DFL);
        if (number != SIGABRT)
            report_crash(number, address, context);
        fflush(stdout);
        sim_findings_print();
        raise(number);
        return;
    }
    const char *kind;
    const char *text =
        number == SIGABRT ? NULL : describe(w, number, address, &kind);
    if (text)
        sim_finding(kind, sim_place_at(w, last_site(w)), "%s", text);
    sim_findings_end();
}

/** Ctrl-C: say what was found so far, and where a lane stands, which only its
 *  own OS thread knows; then end as if nobody watched. */
static void on_interrupt(int number, siginfo_t *info, void *context)
{
    (void)info;
    static atomic_bool asked;
    const sim_worker *w = sim_self;
    if (w->lane) {
        char file[PATH_BYTES];
        sim_place place = sim_place_at(w, 0);
        place.line = sim_line_of(interrupted(context), file, sizeof file);
        place.file = file;
        if (!place.line)
            place = sim_place_at(w, last_site(w));
        sim_finding("interrupted-note", place, "%s of %s was here", sim_here(w),
                    sim_now.name);
    } else if (atomic_exchange(&asked, true)) {
        return; /* between two lanes: it is asked again */
    }
    for (int i = 0; !w->lane && i < LOOKS && sim_launch_signal(number); i++)
        usleep(LOOK_US);
    signal(number, SIG_DFL);
    sim_print_now();
    fflush(stdout);
    sim_findings_print();
    raise(number);
}

void sim_crash_watch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    struct sigaction before;
    action.sa_sigaction = on_interrupt;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGINT, &action, &before);
    if (before.sa_handler != SIG_DFL) /* the program has one, or ignores it */
        sigaction(SIGINT, &before, NULL);
}

void sim_crash_stack(void)
{
    stack_t stack = {.ss_sp = malloc(HANDLER_STACK), .ss_size = HANDLER_STACK};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
}
