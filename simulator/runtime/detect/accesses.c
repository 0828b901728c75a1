/**
 * @file accesses.c
 * @brief What one access tells alone: bounds, what was never written, copies
 * that nobody has waited for.
 */
#include "detect.h"

/** What is accessed, and where that is. */
static const char *target(const sim_worker *w, unsigned space, uint64_t address,
                          unsigned bytes, const char **where)
{
    const char *name;
    if (space == SPACE_NONE && sim_stack_is_full(w, address)) {
        *where = "a GPU's has cudaLimitStackSize bytes, 1024 at first";
        return sim_format("a full stack of %zu bytes", w->stack_bytes);
    }
    if (space != SPACE_SHARED &&
        (*where = sim_overflow_global(address, bytes, &name)))
        return name;
    if (space == SPACE_GLOBAL) {
        *where = sim_where_global(address, bytes);
        return sim_name_global(address, bytes);
    }
    if (space == SPACE_SHARED) {
        *where = sim_where_shared(address, w->dynamic_offset, w->dynamic_bytes);
        return sim_name_shared(address, w->dynamic_offset);
    }
    *where = sim_format(
        "%u bytes at address %#llx, which is neither device nor shared memory",
        bytes, (unsigned long long)address);
    return address < 65536 ? "a null pointer" : "host memory";
}

void sim_check_refused(sim_worker *w, unsigned space, uint64_t address,
                       bool aligned, unsigned bytes, unsigned op, uint32_t site)
{
    static const char *const kinds[] = {[SPACE_GLOBAL] = "out-of-bounds-global",
                                        [SPACE_SHARED] = "array-bounds",
                                        [SPACE_NONE] = "host-pointer"};
    const char *kind = aligned ? kinds[space] : "misaligned", *name;
    if (space == SPACE_NONE && sim_stack_is_full(w, address))
        kind = kinds[SPACE_SHARED];
    else if (space == SPACE_NONE && sim_overflow_global(address, bytes, &name))
        kind = kinds[SPACE_GLOBAL];
    if (sim_found_before(kind, sim_place_at(w, site)))
        return;
    const char *where;
    name = target(w, space, address, bytes, &where);
    if (!aligned)
        where = sim_format(
            "%u bytes must begin at a multiple of %u, these begin %u past one",
            bytes, bytes, (unsigned)(address & (bytes - 1)));
    sim_finding(kind, sim_place_at(w, site), "%s of %s\n%s\nby %s",
                sim_verbs[op], name, where, sim_here(w));
}

/** Has a word been read, or less, of which no byte has been written? Of a
 *  structure one word is enough: the others may be padding. */
static bool is_uninitialised(uintptr_t address, unsigned bytes,
                             unsigned flavour)
{
    if (flavour & FLAVOUR_REST)
        return false;
    if (flavour & FLAVOUR_COPY)
        return !sim_written(address & ~(uintptr_t)3, bytes < 4 ? 4 : bytes);
    bool all = true;
    for (unsigned i = 0; i < bytes; i += 4)
        all &= sim_written(address + i, bytes < 4 ? bytes : 4) != 0;
    return !all;
}

void sim_check_uninitialised(sim_worker *w, uintptr_t address, uint64_t what,
                             uint32_t site)
{
    unsigned bytes = access_bytes(what), op = access_op(what);
    unsigned flavour = op == OP_LOAD ? access_flavour(what) : 0;
    if (sim_settings.search && is_uninitialised(address, bytes, flavour) &&
        !sim_found_before("uninitialised-global", sim_place_at(w, site)))
        sim_finding("uninitialised-global", sim_place_at(w, site),
                    "%s of %s\nnothing has written it: %s\nby %s",
                    sim_verbs[op], sim_name_global(address, bytes),
                    sim_where_global(address, bytes), sim_here(w));
}

/** Copies are under way, perhaps to these bytes. */
void sim_check_copies(sim_worker *w, uint64_t offset, unsigned bytes,
                      unsigned op, uint32_t site)
{
    bool marked = false;
    bool from = false; /* it, or to it? */
    for (unsigned i = 0; i < bytes; i++) {
        marked |= w->flight[offset + i] % FLIGHT_SOURCE != 0;
        from |= w->flight[offset + i] >= FLIGHT_SOURCE && op != OP_LOAD;
    }
    if (!marked && !from)
        return;
    const char *first = sim_cluster_byte(w, (uint32_t)offset);
    uint32_t other = 0;
    for (unsigned t = 0; t < sim_now.threads && !other; t++) {
        for (sim_copy *c = w->lanes[t].copies; c && !other; c = c->next)
            if (c->to < first + bytes && first < c->to + c->bytes)
                other = c->site;
        for (sim_store *s = w->lanes[t].stores; s && !other; s = s->next)
            if (s->from < first + bytes && first < s->from + s->bytes)
                other = s->site;
    }
    sim_finding(
        "async-copy",
        (sim_place){.site = site, .other = other, .block = w->block_number},
        "%s of %s\nby %s; the copy of %s %s it is under way, and nobody has "
        "waited for it",
        sim_verbs[op], sim_name_shared(offset, w->dynamic_offset),
        sim_here(sim_self), sim_position_from(other, site),
        marked ? "to" : "from");
}
