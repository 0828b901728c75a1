/**
 * @file unhook.c
 * @brief SIM_CHECKS=0: the program's kernels run without their hooks.
 *
 * A hook is a call before an access. When nobody counts or looks for bugs,
 * each such call in the program's code becomes an instruction that does
 * nothing. Hooks of volatile accesses stay: a thread that waits for another one
 * comes back to the scheduler there.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "api.h"

/** The program's code, by the linker. */
extern char __executable_start, etext;

#define OF(n) sim_hook_r##n, sim_hook_w##n, sim_hook_rw##n
static void (*const accesses[])(const void *, uint32_t) = {OF(1), OF(2), OF(4),
                                                           OF(8), OF(16)};
static const void *hooks[32];
static size_t hook_count;

static void add(const void *hook)
{
    hooks[hook_count++] = hook;
}

static bool is_hook(const char *target)
{
    for (size_t i = 0; i < hook_count; i++)
        if (hooks[i] == target)
            return true;
    return false;
}

#if defined(__x86_64__)

/** A call of what is so far behind its end, and as many bytes of nothing. */
static void clear(char *code, const char *end)
{
    static const unsigned char nothing[5] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    for (; code + sizeof nothing <= end; code++) {
        int32_t distance;
        memcpy(&distance, code + 1, sizeof distance);
        if (*(unsigned char *)code == 0xe8 &&
            is_hook(code + sizeof nothing + distance))
            memcpy(code, nothing, sizeof nothing);
    }
}

#elif defined(__aarch64__)

/** The same of instructions of 4 bytes: bl, nop. */
static void clear(char *code, const char *end)
{
    for (code = (char *)(((uintptr_t)code + 3) & ~(uintptr_t)3); code < end;
         code += 4) {
        uint32_t word;
        memcpy(&word, code, sizeof word);
        int64_t distance = (int64_t)((uint64_t)word << 38) >> 36;
        if (word >> 26 == 0x25 && is_hook(code + distance))
            memcpy(code, &(uint32_t){0xd503201f}, sizeof word);
    }
}

#else

static void clear(char *code, const char *end)
{
    (void)code; /* the hooks stay */
    (void)end;
}

#endif

static void unhook(void)
{
    if (sim_settings.checks)
        return;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        add((const void *)accesses[i]);
    add((const void *)sim_hook_range);
    add((const void *)sim_hook_block);
    add((const void *)sim_hook_local);
    add((const void *)sim_hook_zone);
    add((const void *)sim_hook_zone_end);
    add((const void *)sim_hook_enter);
    add((const void *)sim_hook_leave);
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)((uintptr_t)&__executable_start & ~(page - 1));
    size_t bytes = (size_t)(&etext - first);
    if (mprotect(first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
        return; /* the hooks stay */
    clear(first, &etext);
    mprotect(first, bytes, PROT_READ | PROT_EXEC);
    __builtin___clear_cache(first, &etext);
}

void sim_unhook(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, unhook);
}
