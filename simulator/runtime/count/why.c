/**
 * @file why.c
 * @brief SIM_WHY: who writes a word, and what that thread had read.
 *
 * A run watches the words that SIM_WHY_AT names, and writes a line of JSON for
 * each store to them. A second one, which SIM_WHY_STORE tells of one of these,
 * adds a line for each load of that thread, and ends at that store. One OS
 * thread runs the blocks, so both do the same in the same order.
 *
 * A lane's log is read when the lane stops. Nobody else has run since it went
 * on, so memory holds what it has loaded, unless it has stored there itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "count.h"

#define MOST_WORDS 64   /**< that are watched: buffers of one name */
#define MOST_COPIES 512 /**< of the host that are remembered */
#define NO_INDEX INT64_MIN

/** A buffer or a variable. */
typedef struct {
    uintptr_t start;
    size_t bytes, element; /* 0: nobody has said how long an element is */
    int64_t ld;
    char name[ARRAY_NAME];
} array;

/** A store of a kernel to global memory. */
typedef struct {
    uint32_t launch; /* 0: none */
    uint32_t site, block;
    uint16_t thread, op;
} store;

/** A watched word. */
typedef struct {
    uintptr_t address, low, high; /* of its array */
    uint64_t value;               /* when the latest lane has stopped */
} word;

/** Rows that the host has copied to device memory or set. */
typedef struct {
    uintptr_t start;
    size_t width, pitch, height;
    uint32_t since; /* the launch after which it did */
    void *frames[MOST_FRAMES];
} host_copy;

/** What wrote a word of shared memory in the block of SIM_WHY_STORE. */
typedef struct {
    bool set;
    uint16_t thread;
    uint32_t site, barriers;
    uint32_t from_site; /* of the thread's latest global load; 0: none */
    uint64_t from;      /* that load */
} shared_word;

/** SIM_WHY_AT and SIM_WHY_STORE. */
static struct {
    char name[ARRAY_NAME];
    size_t element;
    long long index[2];
    unsigned long long block, number; /* 0: no store is asked for */
    unsigned launch, thread;
} asked;

static FILE *file;
static array *arrays;
static size_t array_count;
static word words[MOST_WORDS];
static unsigned word_count;
static uint64_t changes; /* stores to any of these */
static host_copy copies[MOST_COPIES];
static size_t copy_count;

/* ---- global memory: who has written where -------------------------------- */

typedef struct page {
    uintptr_t base;
    struct page *next;
    store words[GRANULE / 4];
} page;

/** What is known of a word. @return NULL: nothing, and it is not @p made */
static store *store_at(uintptr_t address, bool made)
{
    static page *pages[1 << 12], *latest;
    uintptr_t base = address & ~(GRANULE - 1);
    if (!latest || latest->base != base) {
        page **first = &pages[(base >> GRANULE_SHIFT) % (1 << 12)], *p = *first;
        while (p && p->base != base)
            p = p->next;
        if (!p && !made)
            return NULL;
        if (!p) {
            p = sim_map(sizeof *p);
            p->base = base;
            p->next = *first;
            *first = p;
        }
        latest = p;
    }
    return &latest->words[(address - base) / 4];
}

/** The latest copy of the host that has written there; NULL: none. */
static const host_copy *copy_at(uintptr_t address)
{
    for (size_t i = copy_count; i-- > 0;) {
        size_t at = address - copies[i].start;
        if (at < copies[i].pitch * copies[i].height &&
            at % copies[i].pitch < copies[i].width)
            return &copies[i];
    }
    return NULL;
}

/* ---- lines of JSON ------------------------------------------------------- */

static void write_place(uint32_t site)
{
    const sim_site *place = sim_site_info(site);
    sim_json_string(file, ",\"file\":", place->file ? place->file : "?");
    fprintf(file, ",\"line\":%d", place->line);
    if (place->callers)
        sim_json_string(file, ",\"callers\":", place->callers);
}

/** Its bytes, the lowest last. */
static void write_value(const void *p, unsigned bytes)
{
    const unsigned char *byte = p;
    fputs(",\"value\":\"", file);
    for (unsigned i = bytes; i-- > 0;)
        fprintf(file, "%02x", byte[i]);
    fputc('"', file);
}

static void write_store(const store *s)
{
    fprintf(file,
            ",\"by\":\"kernel\",\"launch\":%u,\"block\":%u,\"thread\":%u,"
            "\"op\":\"%s\"",
            s->launch, s->block, s->thread, sim_op_names[s->op]);
    write_place(s->site);
}

/** Who has written a word of global memory last: a kernel, the host? */
static void write_writer(uintptr_t address)
{
    const store *s = store_at(address, false);
    const host_copy *c = copy_at(address);
    fprintf(file, ",\"address\":%llu,\"writer\":{\"at\":0",
            (unsigned long long)address);
    if (s && s->launch && !(c && c->since >= s->launch)) {
        write_store(s);
    } else if (c) {
        sim_place place = sim_caller_noted(c->frames);
        sim_json_string(file, ",\"by\":\"host\",\"file\":", place.file);
        fprintf(file, ",\"line\":%d", place.line);
    } else if (in_arena(address) && !granule_of(address)->initialised &&
               !sim_is_initialised(address, 4)) {
        fputs(",\"by\":\"nobody\"", file);
    }
    fputc('}', file);
}

/* ---- which words are watched --------------------------------------------- */

static bool same_name(const char *a, const char *b)
{
    a += strncmp(a, "d_", 2) ? 0 : 2;
    b += strncmp(b, "d_", 2) ? 0 : 2;
    return !strcmp(b, "*") || !strcmp(a, b);
}

static array *add_array(uintptr_t start, size_t bytes)
{
    arrays = sim_grow(arrays, (array_count + 1) * sizeof *arrays);
    arrays[array_count] = (array){.start = start, .bytes = bytes};
    return &arrays[array_count++];
}

/** Add a buffer that is new, or has got a name. */
static bool note_buffer(sim_allocation *b, const sim_allocation *all)
{
    (void)all;
    const sim_array_name *n = &b->array;
    uintptr_t start = n->name[0] ? n->start : b->start;
    size_t bytes = b->size - (start - b->start);
    for (size_t i = 0; i < array_count; i++)
        if (start == arrays[i].start && bytes == arrays[i].bytes &&
            (!n->name[0] || !strcmp(n->name, arrays[i].name)))
            return false;
    array *a = add_array(start, bytes);
    a->element = n->name[0] ? n->element : 0;
    a->ld = n->ld;
    snprintf(a->name, sizeof a->name, "%s", n->name);
    return true;
}

static void watch(const array *a)
{
    size_t element = a->element ? a->element : asked.element;
    int64_t at = asked.index[0];
    if (asked.index[1] != NO_INDEX)
        at = a->ld ? at * a->ld + asked.index[1] : -1;
    uintptr_t address = a->start + (size_t)at * element;
    if (at >= 0 && (size_t)at * element < a->bytes && word_count < MOST_WORDS &&
        same_name(a->name, asked.name))
        words[word_count++] = (word){address, a->start, a->start + a->bytes, 0};
}

/** Look for arrays that are new; name them, and watch those of that name. */
static void find_arrays(void)
{
    size_t before = array_count;
    if (!before)
        for (uintptr_t at = UINTPTR_MAX; at;) {
            const sim_variable_info *v = sim_variable_before(at);
            if (!v)
                break;
            at = v->array.offset - 1;
            array *a = add_array(v->array.offset, v->array.bytes);
            a->element = v->array.element;
            snprintf(a->name, sizeof a->name, "%s", v->array.name);
        }
    sim_count_before(&(sim_allocation){.start = UINTPTR_MAX}, note_buffer);
    for (size_t i = before; i < array_count; i++) {
        array *a = &arrays[i];
        uint64_t start, pitch;
        if (!a->name[0]) {
            const char *name = sim_origin_global(a->start, 4, &start, &pitch);
            snprintf(a->name, sizeof a->name, "%s", name ? name : "?");
        }
        sim_json_string(file, "{\"array\":", a->name);
        fprintf(file,
                ",\"start\":%llu,\"bytes\":%zu,\"element\":%zu,\"ld\":%lld}\n",
                (unsigned long long)a->start, a->bytes, a->element,
                (long long)a->ld);
        watch(a);
    }
}

static void read_word(word *at)
{
    memcpy(&at->value, (const void *)at->address,
           asked.element < 8 ? asked.element : 8);
}

static void launch_begins(void)
{
    sim_json_string(file, "{\"kernel\":", sim_now.name);
    sim_json_string(file, ",\"file\":", sim_now.file ? sim_now.file : "?");
    fprintf(file,
            ",\"line\":%d,\"launch\":%u,\"grid\":[%u,%u,%u],"
            "\"block\":[%u,%u,%u]}\n",
            sim_now.line, sim_now.serial, sim_now.grid[0], sim_now.grid[1],
            sim_now.grid[2], sim_now.block[0], sim_now.block[1],
            sim_now.block[2]);
    find_arrays();
    for (unsigned i = 0; i < word_count; i++)
        read_word(&words[i]);
}

/** What is known of a buffer is over. */
static void freed(uintptr_t start, size_t bytes)
{
    size_t left = 0;
    for (size_t i = 0; i < copy_count; i++)
        if (copies[i].start - start >= bytes)
            copies[left++] = copies[i];
    copy_count = left;
    left = 0;
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].start - start >= bytes)
            arrays[left++] = arrays[i];
    array_count = left;
    left = 0;
    for (size_t i = 0; i < word_count; i++)
        if (words[i].address - start >= bytes)
            words[left++] = words[i];
    word_count = (unsigned)left;
    for (uintptr_t a = start; a < start + bytes; a = (a | (GRANULE - 1)) + 1) {
        store *s = store_at(a, false);
        if (s)
            memset(s, 0, (GRANULE - a % GRANULE) / 4 * sizeof *s);
    }
}

/** The host copies a watched word: who has written it, and its neighbours
 *  where no kernel has? */
static void look(const word *at, bool by_host)
{
    fprintf(file, "{\"look\":%d", by_host);
    write_value(&at->value, 8);
    write_writer(at->address);
    fputs("}\n", file);
    const store *s = store_at(at->address, false);
    for (int step = -4; step <= 4 && !(s && s->launch); step += 8)
        for (uintptr_t a = at->address + (uintptr_t)step;
             a - at->low < at->high - at->low; a += (uintptr_t)step) {
            const store *near = store_at(a, false);
            if (!near || !near->launch)
                continue;
            fputs("{\"beside\":1", file);
            write_writer(a);
            fputs("}\n", file);
            break;
        }
}

static void copied(uintptr_t start, size_t bytes, bool write)
{
    find_arrays();
    for (unsigned i = 0; i < word_count && !write; i++)
        if (words[i].address - start < bytes) {
            read_word(&words[i]);
            look(&words[i], true);
        }
    if (!write)
        return;
    host_copy *c = copy_count ? &copies[copy_count - 1] : copies;
    size_t step = start - c->start;
    if (copy_count && c->since == sim_now.serial && c->width == bytes &&
        step >= bytes && step < c->pitch * (c->height + 1) + bytes * 16 &&
        (c->height == 1 || step == c->pitch * c->height)) {
        c->pitch = step / c->height;
        c->height++; /* the next row of the same copy */
        return;
    }
    if (copy_count == MOST_COPIES) /* forget the oldest half */
        memmove(copies, copies + MOST_COPIES / 2,
                (copy_count = MOST_COPIES / 2) * sizeof *copies);
    c = &copies[copy_count++];
    *c = (host_copy){start, bytes, bytes, 1, sim_now.serial, {0}};
    sim_caller_note(c->frames);
}

static void at_end(void)
{
    for (unsigned i = 0; i < word_count; i++)
        look(&words[i], false);
    if (fclose(file) != 0)
        fprintf(stderr, "SIM_WHY: %s\n", strerror(errno));
}

/* ---- the block that is asked for ----------------------------------------- */

static shared_word *shared; /* per 4 bytes */
static size_t shared_count;
static uint64_t latest[MAX_THREADS]; /* global load of each thread */
static uint32_t latest_site[MAX_THREADS];
static uint32_t barriers; /* that it has passed */

static bool is_asked(const sim_worker *w)
{
    return sim_now.serial == asked.launch && w->block_number == asked.block;
}

static void block_begins(sim_worker *w)
{
    if (!is_asked(w) || w->resumed)
        return;
    shared_count = (w->dynamic_offset + w->dynamic_bytes) / 4 + 4;
    shared = sim_new(shared_count * sizeof *shared);
}

static void barrier(sim_worker *w, const sim_lane *first, uint32_t warps)
{
    (void)first, (void)warps;
    barriers += is_asked(w);
}

static void store_shared(uint64_t access, unsigned thread, uint32_t site)
{
    size_t first = access_address(access) / 4;
    size_t end = (access_address(access) + access_bytes(access) + 3) / 4;
    bool own = thread != STRANGER;
    for (size_t i = first; i < end && i < shared_count; i++)
        shared[i] = (shared_word){true,
                                  (uint16_t)thread,
                                  site,
                                  barriers,
                                  own ? latest_site[thread] : 0,
                                  own ? latest[thread] : 0};
}

/** Another block of the cluster, or the copy engine for it, stores here. */
static void request(sim_worker *w, const sim_request *r)
{
    if (r->warp == STRANGER / LANES && is_asked(w) &&
        access_op(r->first) != OP_LOAD)
        store_shared(r->first, STRANGER, r->site);
}

/** What a lane has added to its log. */
typedef struct {
    const uint64_t *access;
    const uint32_t *key;
    uint32_t from, end; /* rows */
} slice;

static bool is_access(const slice *s, uint32_t row)
{
    return sim_entry_kind[s->key[row] & SITE_MASK] != ENTRY_BLOCK &&
           s->access[row] && access_space(s->access[row]) != SPACE_NONE;
}

/** Does it store in these rows where access @p a is? */
static bool stores_in(const slice *s, uint32_t from, uint32_t end, uint64_t a)
{
    for (uint32_t i = from; i < end; i++) {
        uint64_t b = s->access[i];
        if (is_access(s, i) && access_op(b) != OP_LOAD &&
            access_space(b) == access_space(a) &&
            access_address(b) < access_address(a) + access_bytes(a) &&
            access_address(a) < access_address(b) + access_bytes(b))
            return true;
    }
    return false;
}

/** Write what the lane has loaded, if that is known. */
static void write_loaded(const sim_worker *w, const slice *s, uint32_t row)
{
    uint64_t a = s->access[row];
    bool is_shared = access_space(a) == SPACE_SHARED;
    const void *p = is_shared ? sim_cluster_byte(w, (uint32_t)access_address(a))
                              : (const void *)access_address(a);
    if (stores_in(s, row, s->end, a)) {
        const word *at = words;
        while (at < words + word_count && at->address != access_address(a))
            at++; /* as it was before */
        p = is_shared || at == words + word_count ||
                    stores_in(s, s->from, row, a)
                ? NULL
                : &at->value;
    }
    if (p)
        write_value(p, access_bytes(a));
}

/** Write who has written a word of shared memory, and of what. */
static void write_shared(const sim_worker *w, uint64_t a)
{
    const shared_word *s = &shared[access_address(a) / 4];
    sim_json_string(file, ",\"text\":",
                    sim_name_shared(access_address(a), w->dynamic_offset));
    fprintf(file, ",\"writer\":{\"by\":\"%s\",\"barriers\":%u",
            s->set ? "thread" : "nobody", s->barriers);
    if (s->thread != STRANGER)
        fprintf(file, ",\"thread\":%u", s->thread);
    write_place(s->site);
    fputc('}', file);
    const sim_site *to = sim_site_info(s->site),
                   *from = sim_site_info(s->from_site);
    if (!s->from || s->site == s->from_site || to->line != from->line ||
        !sim_same_text(to->file, from->file))
        return;
    fputs(",\"from\":{\"of\":1", file);
    write_value((const void *)access_address(s->from), access_bytes(s->from));
    write_writer(access_address(s->from));
    fputc('}', file);
}

/** Write one access of the thread that is asked for. */
static void write_access(const sim_worker *w, const slice *s, uint32_t row)
{
    uint64_t a = s->access[row];
    fprintf(file,
            "{\"read\":\"%s\",\"space\":\"%s\",\"bytes\":%u,\"barriers\":%u",
            sim_op_names[access_op(a)], sim_space_names[access_space(a)],
            access_bytes(a), barriers);
    write_place(s->key[row] & SITE_MASK);
    write_loaded(w, s, row);
    if (access_space(a) == SPACE_SHARED)
        write_shared(w, a);
    else
        write_writer(access_address(a));
    fputs("}\n", file);
}

/* ---- what lanes do ------------------------------------------------------- */

/** A kernel has stored to global memory. */
static void note_store(uint64_t access, const store *s)
{
    uintptr_t first = access_address(access) & ~(uintptr_t)3;
    uintptr_t end = access_address(access) + access_bytes(access);
    for (uintptr_t a = first; a < end; a += 4)
        *store_at(a, true) = *s;
    for (unsigned i = 0; i < word_count; i++) {
        if (words[i].address - first >= end - first)
            continue;
        read_word(&words[i]);
        fprintf(file, "{\"change\":%llu,\"address\":%llu",
                (unsigned long long)++changes,
                (unsigned long long)words[i].address);
        write_store(s);
        write_value(&words[i].value, 8);
        fputs("}\n", file);
        if (changes != asked.number)
            continue;
        fclose(file);
        _exit(0); /* that is all */
    }
}

/** Follow one entry of its log. */
static void follow(sim_worker *w, unsigned thread, const slice *s, uint32_t row)
{
    uint64_t a = s->access[row];
    uint32_t site = s->key[row] & SITE_MASK;
    unsigned op = access_op(a);
    bool here = is_asked(w);
    if ((op == OP_LOAD && !here) || !is_access(s, row))
        return;
    if (here && thread == asked.thread && access_reads(a))
        write_access(w, s, row);
    if (op == OP_LOAD) {
        latest[thread] = access_space(a) == SPACE_GLOBAL ? a : latest[thread];
        latest_site[thread] =
            access_space(a) == SPACE_GLOBAL ? site : latest_site[thread];
    } else if (access_space(a) == SPACE_GLOBAL) {
        note_store(a, &(store){sim_now.serial, site, (uint32_t)w->block_number,
                               (uint16_t)thread, (uint16_t)op});
    } else if (here) {
        store_shared(a, thread, site);
    }
}

static void lane_stops(sim_worker *w, const sim_lane *lane, uint32_t from)
{
    unsigned thread = lane_index(w, lane);
    slice s = {w->log->access[thread % LANES], w->log->key[thread % LANES],
               from, lane->logged};
    for (uint32_t row = from; row < s.end; row++)
        follow(w, thread, &s, row);
    if (is_asked(w) && thread == asked.thread && lane->state == LANE_WARP &&
        lane->op != SIM_WARP_SYNC) {
        fputs("{\"exchange\":1", file);
        write_place(lane->site);
        fputs("}\n", file);
    }
}

WATCHES void sim_why_watch(void)
{
    static const sim_watcher watcher = {.freed = freed,
                                        .copied = copied,
                                        .launch_begins = launch_begins,
                                        .block_begins = block_begins,
                                        .request = request,
                                        .barrier = barrier,
                                        .lane_stops = lane_stops};
    const char *path = getenv("SIM_WHY"), *at = getenv("SIM_WHY_AT"),
               *of = getenv("SIM_WHY_STORE");
    if (!path || !*path)
        return;
    asked.index[1] = NO_INDEX;
    if (!at ||
        sscanf(at, "%31[^:]:%zu:%lld:%lld", asked.name, &asked.element,
               &asked.index[0], &asked.index[1]) < 3 ||
        (of && sscanf(of, "%u:%llu:%u:%llu", &asked.launch, &asked.block,
                      &asked.thread, &asked.number) != 4) ||
        !(file = fopen(path, "w"))) {
        fprintf(stderr, "SIM_WHY=%s, SIM_WHY_AT, SIM_WHY_STORE: %s\n", path,
                errno ? strerror(errno) : "see the simulator's README");
        exit(STATUS_USAGE);
    }
    sim_watch(&watcher);
    atexit(at_end);
}
