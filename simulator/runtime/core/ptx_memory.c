/**
 * @file ptx_memory.c
 * @brief ld, st, atom and red of inline PTX, with their order and scope.
 *
 * A release is a fence before the access, an acquire one behind it: "PTX ISA",
 * chapter "Memory Consistency Model", release and acquire patterns.
 */
#include "inside.h"

/** Words between the first one and the type that say only how long a cache
 *  shall keep what is read, or where the address is anyway. */
static const char *const ignored[] = {"weak", "global", "ca", "cg", "cs",
                                      "lu",   "cv",     "nc", "wb", "wt"};

/** What an atomic operation does with integers. */
static const struct {
    const char *name;
    int is_unsigned, is_signed; /**< operations of sim_atomic() */
} operations[] = {
    {"add", SIM_ATOMIC_ADD, SIM_ATOMIC_ADD},
    {"min", SIM_ATOMIC_MIN_UNSIGNED, SIM_ATOMIC_MIN_SIGNED},
    {"max", SIM_ATOMIC_MAX_UNSIGNED, SIM_ATOMIC_MAX_SIGNED},
    {"and", SIM_ATOMIC_AND, SIM_ATOMIC_AND},
    {"or", SIM_ATOMIC_OR, SIM_ATOMIC_OR},
    {"xor", SIM_ATOMIC_XOR, SIM_ATOMIC_XOR},
    {"exch", SIM_ATOMIC_EXCHANGE, SIM_ATOMIC_EXCHANGE},
    {"cas", SIM_ATOMIC_COMPARE_SWAP, SIM_ATOMIC_COMPARE_SWAP},
    {"inc", SIM_ATOMIC_INCREMENT, SIM_ATOMIC_INCREMENT},
    {"dec", SIM_ATOMIC_DECREMENT, SIM_ATOMIC_DECREMENT},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/** Read a word behind the first one. @return we know it */
static bool read_word(const char *word, sim_ptx_access *a, int *operation)
{
    const char *const scopes[] = {"cta", "gpu", "sys"};
    for (size_t i = 0; i < COUNT(ignored); i++)
        if (!strcmp(word, ignored[i]))
            return true;
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, scopes[i]))
            continue;
        a->scope = i;
        return true;
    }
    for (size_t i = 0; i < COUNT(operations); i++) {
        if (strcmp(word, operations[i].name) || a->kind < PTX_ATOMIC)
            continue;
        *operation = (int)i;
        return true;
    }
    bool both = !strcmp(word, "acq_rel");
    bool acquire = !strcmp(word, "acquire"), release = !strcmp(word, "release");
    a->acquire |= both || acquire;
    a->release |= both || release;
    bool strong = both || acquire || release || !strcmp(word, "relaxed") ||
                  !strcmp(word, "volatile");
    a->strong |= strong;
    if (!strcmp(word, "shared") || !strcmp(word, "shared::cta"))
        return a->shared = true;
    if ((!strcmp(word, "v2") || !strcmp(word, "v4")) && a->kind < PTX_ATOMIC) {
        a->count = (unsigned)word[1] - '0';
        return true;
    }
    return strong;
}

/** Read the type, the last word. @return we know it, with this operation */
static bool read_type(const char *type, sim_ptx_access *a, int operation)
{
    unsigned bits = (unsigned)atoi(type + 1);
    bool is_float = type[0] == 'f';
    a->bytes = bits / 8;
    a->is_signed = type[0] == 's';
    if (!strchr("busf", type[0]) ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
        a->count * a->bytes > 16)
        return false;
    if (a->kind < PTX_ATOMIC)
        return true;
    if (operation < 0 || bits < 32)
        return false;
    a->op = is_float       ? SIM_ATOMIC_ADD_FLOAT
            : a->is_signed ? operations[operation].is_signed
                           : operations[operation].is_unsigned;
    return !is_float || operation == 0;
}

bool sim_ptx_find_access(const char *name, sim_ptx_access *access)
{
    static const char *const kinds[] = {"ld", "st", "atom", "red"};
    char text[64], *rest = text;
    int operation = -1;
    if (strlen(name) >= sizeof text)
        return false;
    strcpy(text, name);
    const char *first = strsep(&rest, ".");
    sim_ptx_access a = {.scope = 1, .count = 1};
    while (strcmp(first, kinds[a.kind]))
        if (++a.kind > PTX_REDUCE)
            return false;
    for (const char *word; (word = strsep(&rest, ".")) != NULL;) {
        if (!rest) {
            *access = a;
            return read_type(word, access, operation);
        }
        if (!read_word(word, &a, &operation))
            return false;
    }
    return false;
}

unsigned sim_ptx_values(const sim_ptx_access *a)
{
    return a->count +
           (a->kind >= PTX_ATOMIC && a->op == SIM_ATOMIC_COMPARE_SWAP);
}

/** The bits of an element, as wide as a register. */
static uint64_t widened(uint64_t x, const sim_ptx_access *a)
{
    unsigned unused = 64 - 8 * a->bytes;
    return a->is_signed ? (uint64_t)((int64_t)(x << unused) >> unused)
                        : x << unused >> unused;
}

/** An atomic operation, in value[0] the old word. */
static void run_atomic(const sim_ptx_access *a, void *p, uint64_t *value,
                       uint32_t site)
{
    bool swap = a->op == SIM_ATOMIC_COMPARE_SWAP;
    int scope = a->scope == 0   ? SIM_ATOMIC_BLOCK
                : a->scope == 2 ? SIM_ATOMIC_SYSTEM
                                : 0;
    value[0] = widened(sim_atomic(p, (int)a->bytes, a->op | scope, value[swap],
                                  value[0], a->kind == PTX_ATOMIC, site),
                       a);
}

void sim_ptx_access_run(const sim_ptx_access *a, uint64_t address,
                        uint64_t value[PTX_ELEMENTS], uint32_t site)
{
    char *p = a->shared ? sim_shared_at((uint32_t)address, site)
                        : (char *)(uintptr_t)address;
    if (a->release)
        sim_fence(a->scope, site);
    if (a->kind >= PTX_ATOMIC) {
        run_atomic(a, p, value, site);
    } else {
        bool store = a->kind == PTX_STORE;
        sim_note((uintptr_t)p, a->count * a->bytes, store ? OP_STORE : OP_LOAD,
                 a->strong ? FLAVOUR_VOLATILE : 0, site);
        for (unsigned i = 0; i < a->count; i++, p += a->bytes) {
            if (store) {
                memcpy(p, &value[i], a->bytes);
                continue;
            }
            memcpy(&value[i], p, a->bytes);
            value[i] = widened(value[i], a);
        }
    }
    if (a->acquire)
        sim_fence(a->scope, site);
}
