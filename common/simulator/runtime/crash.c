/**
 * @file crash.c
 * @brief Turns a signal inside a kernel into a finding with a line.
 *
 * With hooks a bad access is noticed before it happens. What is left is plain
 * mode, and stacks that overflow. The program cannot go on, so the findings
 * are printed here and the process ends. A signal in host code is left to the
 * system.
 */
#define _GNU_SOURCE
#include "crash.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "findings.h"
#include "names.h"
#include "text.h"
#include "worker.h"

#define HANDLER_STACK (64 * KIB) /**< bytes */

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
        return sim_format("%s: integer division by zero, %s", sim_now.name,
                          sim_here(w));
    }
    if (address < w->stack_low && w->stack_low - address <= 65536) {
        *kind = "array-bounds";
        return sim_format("%s: the stack of %s is full (%zu bytes)",
                          sim_now.name, sim_here(w), w->stack_bytes);
    }
    if (in_arena(address)) {
        *kind = "out-of-bounds-global";
        return sim_format("%s: access by %s, %s", sim_now.name, sim_here(w),
                          sim_where_global(address, 4));
    }
    return sim_format("%s: access by %s at address %#llx, %s", sim_now.name,
                      sim_here(w), (unsigned long long)address,
                      address < 65536 ? "a null pointer" : "not device memory");
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    const sim_worker *w = sim_self;
    if (!w->lane) { /* host code: as if nobody watched */
        signal(number, SIG_DFL);
        sim_findings_print();
        raise(number);
        return;
    }
    const char *kind;
    const char *text =
        number == SIGABRT
            ? NULL
            : describe(w, number, (uintptr_t)info->si_addr, &kind);
    if (text)
        sim_finding(kind,
                    (sim_place){.site = last_site(w), .block = w->block_number},
                    text);
    fflush(stdout);
    sim_findings_print();
    fflush(NULL);
    _exit(STATUS_FINDING);
}

static void watch(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

void sim_crash_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

void sim_crash_stack(void)
{
    stack_t stack = {.ss_sp = malloc(HANDLER_STACK), .ss_size = HANDLER_STACK};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
}
