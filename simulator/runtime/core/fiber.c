/**
 * @file fiber.c
 * @brief The context switch, in assembly, and the pool of stacks.
 *
 * A function call may destroy any register but a few, which the callee must
 * preserve. The switch is a function, so only those few need saving; they go
 * to the stack that is left, and come from the stack that is entered.
 *
 * A new stack looks as if it had been left just before entering the body:
 * zeros for the registers, the body as the address to go on at.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "inside.h"

#if defined(__x86_64__)

#define SAVED_WORDS 8 /**< six registers, the address, one for alignment */
#define ENTRY_WORD 6  /**< where the address to go on at lies */

__asm__(".text\n"
        ".globl sim_fiber_switch\n"
        ".type sim_fiber_switch, @function\n"
        "sim_fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq  %rsp, (%rdi)\n"
        "    movq  %rsi, %rsp\n"
        "    popq  %r15\n"
        "    popq  %r14\n"
        "    popq  %r13\n"
        "    popq  %r12\n"
        "    popq  %rbx\n"
        "    popq  %rbp\n"
        "    popq  %rax\n"  /* jmp, not ret: the return predictor would */
        "    jmp   *%rax\n" /* expect the address of another stack */
        ".size sim_fiber_switch, . - sim_fiber_switch\n");

#elif defined(__aarch64__)

#define SAVED_WORDS 20 /**< x19 to x30, d8 to d15 */
#define ENTRY_WORD 11  /**< x30, the link register */

__asm__(".text\n"
        ".globl sim_fiber_switch\n"
        ".type sim_fiber_switch, %function\n"
        "sim_fiber_switch:\n"
        "    sub   sp, sp, #160\n"
        "    stp   x19, x20, [sp]\n"
        "    stp   x21, x22, [sp, #16]\n"
        "    stp   x23, x24, [sp, #32]\n"
        "    stp   x25, x26, [sp, #48]\n"
        "    stp   x27, x28, [sp, #64]\n"
        "    stp   x29, x30, [sp, #80]\n"
        "    stp   d8,  d9,  [sp, #96]\n"
        "    stp   d10, d11, [sp, #112]\n"
        "    stp   d12, d13, [sp, #128]\n"
        "    stp   d14, d15, [sp, #144]\n"
        "    mov   x9, sp\n"
        "    str   x9, [x0]\n"
        "    mov   sp, x1\n"
        "    ldp   x19, x20, [sp]\n"
        "    ldp   x21, x22, [sp, #16]\n"
        "    ldp   x23, x24, [sp, #32]\n"
        "    ldp   x25, x26, [sp, #48]\n"
        "    ldp   x27, x28, [sp, #64]\n"
        "    ldp   x29, x30, [sp, #80]\n"
        "    ldp   d8,  d9,  [sp, #96]\n"
        "    ldp   d10, d11, [sp, #112]\n"
        "    ldp   d12, d13, [sp, #128]\n"
        "    ldp   d14, d15, [sp, #144]\n"
        "    add   sp, sp, #160\n"
        "    ret\n"
        ".size sim_fiber_switch, . - sim_fiber_switch\n");

#else
#error "fibers: only x86-64 and aarch64 are written"
#endif

#define BATCH 32          /**< stacks that are mapped together */
#define MOST_GUARDED 4096 /**< with a guard page: mappings are few */
#define GUARD_INSTALL 102 /**< MADV_GUARD_INSTALL; older headers lack it */
#define COLOURS 32        /**< different offsets of the top of a stack */
#define COLOUR_STEP 64    /**< one cache line */

/*
 * The tops of stacks that lie a power of two apart would compete for the same
 * lines of the cache. Each top is therefore shifted by a few lines.
 */
uintptr_t sim_fiber_top(uintptr_t low, size_t stack_bytes)
{
    uintptr_t top = low + stack_bytes - low / 4096 % COLOURS * COLOUR_STEP;
    return top & ~(uintptr_t)15;
}

/** Lay out the stack of a fiber that has not begun. */
void sim_fiber_reset(sim_fiber_pool *pool, sim_fiber *fiber)
{
    uintptr_t top = sim_fiber_top((uintptr_t)fiber->low, pool->stack_bytes);
    void **words = (void **)top - SAVED_WORDS;
    memset(words, 0, SAVED_WORDS * sizeof *words);
    words[ENTRY_WORD] = (void *)pool->body;
    fiber->stack_pointer = words;
}

/** Let nobody touch a page: with Linux 6.13 by the cheaper of two ways. */
static void guard(char *memory, size_t page)
{
    if (madvise(memory, page, GUARD_INSTALL) != 0)
        mprotect(memory, page, PROT_NONE);
}

/** Map a batch of stacks; pages are used only when touched. */
static void grow(sim_fiber_pool *pool)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t stride = pool->stack_bytes + page;
    char *memory = sim_map(stride * BATCH);
    sim_fiber *fibers = sim_new(BATCH * sizeof *fibers);
    for (int i = 0; i < BATCH; i++) {
        if (pool->guard_pages && pool->made < MOST_GUARDED)
            guard(memory + i * stride, page);
        fibers[i].low = memory + i * stride + page;
        sim_fiber_reset(pool, &fibers[i]);
        sim_fiber_give(pool, &fibers[i]);
        pool->made++;
    }
}

sim_fiber *sim_fiber_take(sim_fiber_pool *pool)
{
    if (!pool->idle)
        grow(pool);
    sim_fiber *fiber = pool->idle;
    pool->idle = fiber->next;
    return fiber;
}

void sim_fiber_give(sim_fiber_pool *pool, sim_fiber *fiber)
{
    fiber->next = pool->idle;
    pool->idle = fiber;
}
