/**
 * @file merge.c
 * @brief Makes requests of warps from the accesses of lanes.
 *
 * The lanes of a warp ran one after the other; hardware runs them together.
 * While all lanes did the same, the i-th entries of all of them are one
 * request: the columns of keys are equal so far.
 *
 * Where they went different ways, the lanes whose next entry has the smallest
 * key form a request. The key puts deeper calls first, then earlier places in
 * the source, in an order in which a loop comes before what follows it. So
 * lanes that are ahead wait for those behind, which is how hardware brings a
 * warp together again after a branch. A lane that waits in a warp operation
 * is behind all that comes later in the source.
 */
#include "inside.h"

#define EMPTY UINT32_MAX /**< key of a lane without another entry */

/** Lanes have a fence between what they did before and what they do next. */
static void fence(sim_worker *w, const sim_request *r)
{
    if (r->first != FENCE_PROXY) {
        RAISE(fence, w, r->warp, r->first == FENCE);
        return;
    }
    w->clock++;
    FOR_EACH_LANE (l, r->mask)
        w->lanes[r->warp * LANES + l].proxy_clock = w->clock;
}

/** Accesses that agree in space, operation and size are a request.
 *  @param taken  lanes that took a lock */
static void take(sim_worker *w, unsigned warp, const uint64_t access[LANES],
                 uint32_t mask, uint32_t taken, uint32_t site)
{
    const sim_request r = {.access = access,
                           .first = access[__builtin_ctz(mask)],
                           .mask = mask,
                           .site = site,
                           .warp = warp,
                           .pattern = sim_pattern_of(access, mask),
                           .taken = taken & mask};
    if (access_space(r.first) == SPACE_NONE)
        fence(w, &r);
    else if (r.first) /* else: a local variable, first in its block */
        RAISE(request, w, &r);
}

/** A pointer may lead one lane to shared and another to global memory. */
static void request(sim_worker *w, unsigned warp, uint64_t access[LANES],
                    uint32_t mask, uint32_t site)
{
    uint64_t first = access[__builtin_ctz(mask)], differences = 0;
    uint32_t taken = 0;
    if (mask == UINT32_MAX)
        for (unsigned l = 0; l < LANES; l++)
            differences |= access[l] ^ first;
    else
        FOR_EACH_LANE (l, mask)
            differences |= access[l] ^ first;
    if (__builtin_expect(((first | differences) & TAKEN) != 0, 0))
        FOR_EACH_LANE (l, mask) {
            taken |= (uint32_t)(access[l] >> 63) << l;
            access[l] &= ~TAKEN;
        }
    if (!((differences & ~TAKEN) >> ADDRESS_BITS)) {
        take(w, warp, access, mask, taken, site);
        return;
    }
    while (mask) {
        uint32_t alike = 0;
        first = access[__builtin_ctz(mask)] >> ADDRESS_BITS;
        FOR_EACH_LANE (l, mask)
            if (access[l] >> ADDRESS_BITS == first)
                alike |= 1u << l;
        take(w, warp, access, alike, taken, site);
        mask &= ~alike;
    }
}

/** How many entries of the 32 columns are the same in all of them. */
static unsigned common_rows(const sim_log *log, unsigned shortest)
{
    const uint32_t *first = log->key[0];
    for (unsigned l = 1; l < LANES && shortest; l++) {
        const uint32_t *key = log->key[l];
        if (!memcmp(first, key, shortest * sizeof *key))
            continue;
        for (shortest = 0; first[shortest] == key[shortest];)
            shortest++;
    }
    return shortest;
}

/** Requests in which all lanes take part. */
static void merge_together(sim_worker *w, unsigned warp, unsigned rows)
{
    uint64_t access[LANES];
    for (unsigned row = 0; row < rows; row++) {
        uint32_t site = w->log->key[0][row] & SITE_MASK;
        if (sim_entry_kind[site] != ENTRY_ACCESS && sim_now.counted)
            RAISE(code, w, UINT32_MAX, site);
        if (sim_entry_kind[site] == ENTRY_BLOCK)
            continue;
        for (unsigned l = 0; l < LANES; l++)
            access[l] = w->log->access[l][row];
        request(w, warp, access, UINT32_MAX, site);
    }
}

/** Progress of a merge. */
typedef struct {
    unsigned length[LANES]; /* entries of each lane */
    unsigned at[LANES];     /* the next one */
    uint32_t next[LANES];   /* its key */
    uint32_t wait[LANES];   /* key of the warp operation that it waits in */
    uint32_t open;          /* lanes that will add more, nobody knows what */
    uint32_t stop;          /* smallest key of waits that have been reached */
    bool dry;               /* an open lane has no more entries */
} merge_state;

/** The key of the next entry of lane @p l, or what follows from its end. */
static void look(merge_state *m, const sim_worker *w, unsigned l)
{
    if (m->at[l] < m->length[l]) {
        m->next[l] = w->log->key[l][m->at[l]];
        return;
    }
    m->next[l] = EMPTY;
    m->dry |= m->open >> l & 1;
    if (m->wait[l] < m->stop)
        m->stop = m->wait[l];
}

/** Lanes that went different ways: smallest key first. */
static void merge_diverged(sim_worker *w, unsigned warp, merge_state *m)
{
    uint64_t access[LANES];
    while (!m->dry) { /* else: what that lane does next may come in between */
        uint32_t smallest = EMPTY, mask = 0;
        for (unsigned l = 0; l < LANES; l++)
            smallest = m->next[l] < smallest ? m->next[l] : smallest;
        if (smallest >= m->stop) /* EMPTY, or after what a lane waits for */
            return;
        for (unsigned l = 0; l < LANES; l++)
            mask |= (uint32_t)(m->next[l] == smallest) << l;
        uint32_t site = smallest & SITE_MASK;
        FOR_EACH_LANE (l, mask) {
            access[l] = w->log->access[l][m->at[l]];
            m->at[l]++;
            look(m, w, l);
        }
        if (sim_entry_kind[site] != ENTRY_ACCESS && sim_now.counted)
            RAISE(code, w, mask, site);
        if (sim_entry_kind[site] != ENTRY_BLOCK)
            request(w, warp, access, mask, site);
    }
}

void sim_merge(sim_worker *w, unsigned warp, bool all)
{
    if (!w->counting)
        return;
    sim_lane *lanes = &w->lanes[warp * LANES];
    unsigned count = lanes_of(warp);
    merge_state m = {.stop = EMPTY};
    unsigned shortest = count == LANES ? LOG_ROWS : 0, longest = 0;
    for (unsigned l = 0; l < count; l++) {
        m.length[l] = lanes[l].logged;
        if (m.length[l] < shortest)
            shortest = m.length[l];
        if (m.length[l] > longest)
            longest = m.length[l];
        if (!all && (lanes[l].state == LANE_FULL ||
                     lanes[l].state == LANE_ARRIVE)) /* it goes on */
            m.open |= 1u << l;
        m.wait[l] = !all && lanes[l].state == LANE_WARP
                        ? level_of(lanes[l].depth) | lanes[l].site
                        : EMPTY;
    }
    unsigned rows = common_rows(w->log, shortest);
    merge_together(w, warp, rows);
    if (rows == longest) {
        for (unsigned l = 0; l < count; l++)
            lanes[l].logged = 0;
        return;
    }
    for (unsigned l = 0; l < LANES; l++) {
        m.next[l] = EMPTY;
        m.at[l] = rows;
        if (l < count)
            look(&m, w, l);
    }
    merge_diverged(w, warp, &m);
    for (unsigned l = 0; l < count; l++) {
        unsigned left = m.length[l] - m.at[l];
        memmove(w->log->access[l], &w->log->access[l][m.at[l]],
                left * sizeof(uint64_t));
        memmove(w->log->key[l], &w->log->key[l][m.at[l]],
                left * sizeof(uint32_t));
        lanes[l].logged = left;
    }
}
