/**
 * @file why.c
 * @brief SIM_WHY: who writes a word, and what that thread had read.
 *
 * A run watches the words that SIM_WHY_AT names, and writes a line for each
 * store to them. A second one, which SIM_WHY_STORE tells of one of these, adds
 * a line for each load of that thread, and ends at that store. One OS thread
 * runs the blocks, so both do the same in the same order. tools/why.py reads
 * the lines: a kind and, between tabs, what is known.
 *
 * A lane's log is read when the lane stops. Nobody else has run since it went
 * on, so memory holds what it has loaded, unless it has stored there itself.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "count.h"

#define MOST_WORDS 64   /**< that are watched: buffers of one name */
#define MOST_CALLS 4096 /**< of the host that are told apart */

/** A buffer. */
typedef struct {
    uintptr_t start;
    size_t bytes, element; /* element 0: nobody has said how long it is */
    int64_t ld;
    char name[ARRAY_NAME];
} array;

/** Who has written a word of global memory. */
typedef struct {
    enum { NOBODY, KERNEL, HOST } by;
    uint32_t launch, block;
    uint32_t site; /* of the host: number of its call */
    uint16_t thread, op;
} writer;

/** What wrote a word of shared memory in the block of SIM_WHY_STORE. */
typedef struct {
    uint32_t when; /* 1 and the barriers before; 0: nothing has written it */
    uint32_t site, thread;
    uint32_t from_site; /* of the thread's latest global load; 0: none */
    uint64_t from;      /* that load */
} shared_word;

/** A watched word. */
typedef struct {
    uintptr_t address, low; /* low, bytes: its array */
    size_t bytes;
    uint64_t value; /* when the latest lane has stopped */
} word;

/** SIM_WHY_AT and SIM_WHY_STORE. */
static struct {
    char name[ARRAY_NAME];
    size_t element;
    long long index[2];
    int indices;
    unsigned long long block, number; /* 0: no store is asked for */
    unsigned launch, thread;
} asked;

static FILE *file;
static array *arrays;
static word words[MOST_WORDS];
static size_t array_count, word_count;
static uint64_t changes;                     /* stores to these words */
static void *calls[MOST_CALLS][MOST_FRAMES]; /* copies of the host */
static unsigned call_count;

/* ---- who has written where ----------------------------------------------- */

/** Of each granule that was written the writers' numbers, word by word. */
static uint32_t **granules;
static writer *writers; /* number 0: nobody */
static uint32_t writer_count, room;

/** Who has written a word? */
static const writer *writer_of(uintptr_t address)
{
    static const writer nobody;
    const uint32_t *numbers =
        in_arena(address) ? granules[(address - sim_arena) >> GRANULE_SHIFT]
                          : NULL;
    return numbers ? &writers[numbers[address % GRANULE / 4]] : &nobody;
}

/** The words that these bytes touch have another writer. */
static void mark(uintptr_t address, size_t bytes, writer by)
{
    if (!in_arena(address))
        return;
    if (writer_count + 2 > room)
        writers = sim_grow(writers, (room = 2 * room + 4096) * sizeof *writers);
    writers[0] = (writer){0};
    writers[++writer_count] = by;
    for (uintptr_t a = address & ~(uintptr_t)3; a < address + bytes; a += 4) {
        uint32_t **g = &granules[(a - sim_arena) >> GRANULE_SHIFT];
        if (!*g)
            *g = sim_map(GRANULE);
        (*g)[a % GRANULE / 4] = by.by ? writer_count : 0;
    }
}

static bool by_kernel(uintptr_t address)
{
    return writer_of(address)->by == KERNEL;
}

/* ---- what is written down ------------------------------------------------ */

static void write_place(uint32_t site)
{
    const sim_site *at = sim_site_info(site);
    fprintf(file, "\tfile=%s\tline=%d\tcallers=%s", at->file ? at->file : "",
            at->line, at->callers ? at->callers : "");
}

/** Bytes, the lowest last. */
static void write_value(const void *p, unsigned bytes)
{
    fputs("\tvalue=", file);
    while (bytes)
        fprintf(file, "%02x", ((const unsigned char *)p)[--bytes]);
}

/** A word of global memory, and who has written it. */
static void write_word(uintptr_t address)
{
    const writer *by = writer_of(address);
    sim_allocation b;
    if (!in_arena(address)) /* a variable, of which no writer is known */
        fprintf(file, "\ttext=%s", sim_name_global(address, 4));
    fprintf(file, "\taddress=%llu\twriter", (unsigned long long)address);
    if (by_kernel(address)) {
        fprintf(file, "\tby=kernel\tlaunch=%u\tblock=%u\tthread=%u\top=%s",
                by->launch, by->block, by->thread, sim_op_names[by->op]);
        write_place(by->site);
    } else if (by->by == HOST) {
        static struct {
            char *file;
            int line;
        } known[MOST_CALLS], *at; /* it takes time to find a line */
        at = &known[by->site];
        if (!at->file) {
            at->line = sim_caller_noted(calls[by->site]).line;
            at->file = strdup(sim_caller_noted(calls[by->site]).file);
        }
        fprintf(file, "\tby=host\tfile=%s\tline=%d", at->file, at->line);
    } else if (sim_find((void *)address, &b) && b.kind == BUFFER_DEVICE) {
        fputs("\tby=nobody", file);
    }
}

/** Who has written watched word @p i, and its neighbours if no kernel. */
static void look(unsigned i, bool by_host)
{
    uintptr_t at = words[i].address, low = words[i].low;
    fprintf(file, "look\tby_host=%d", by_host);
    write_value(&words[i].value, 8);
    write_word(at);
    fputc('\n', file);
    for (intptr_t step = -4; step <= 4 && !by_kernel(at); step += 8) {
        uintptr_t a = at + (uintptr_t)step;
        while (a - low < words[i].bytes && !by_kernel(a))
            a += (uintptr_t)step;
        if (a - low >= words[i].bytes)
            continue;
        fputs("beside", file);
        write_word(a);
        fputc('\n', file);
    }
}

/* ---- which words are watched --------------------------------------------- */

static bool same_name(const char *a, const char *b)
{
    bool host = *a == 'd' && !strcmp(a + 1, b); /* dC for its C */
    a += strncmp(a, "d_", 2) ? 0 : 2;
    b += strncmp(b, "d_", 2) ? 0 : 2;
    return host || !strcmp(b, "*") || !strcmp(a, b);
}

static bool named; /* the program has named one: then no source is asked */

/** Add a buffer that is new, or has got a name. */
static bool note_buffer(sim_allocation *b, const sim_allocation *all)
{
    (void)all;
    const sim_array_name *n = &b->array;
    array a = {.start = n->name[0] ? n->start : b->start};
    a.bytes = b->size - (a.start - b->start);
    a.element = n->name[0] ? n->element : 0;
    a.ld = n->ld;
    named |= n->name[0] != 0;
    snprintf(a.name, sizeof a.name, "%s", n->name);
    for (size_t i = 0; i < array_count; i++)
        if (a.start == arrays[i].start && a.bytes == arrays[i].bytes &&
            (!a.name[0] || !strcmp(a.name, arrays[i].name)))
            return false;
    arrays = sim_grow(arrays, (array_count + 1) * sizeof *arrays);
    arrays[array_count++] = a;
    return true;
}

/** Look for buffers that are new; name them, and watch those of that name. */
static void find_arrays(void)
{
    size_t before = array_count;
    sim_count_before(&(sim_allocation){.start = UINTPTR_MAX}, note_buffer);
    for (array *a = arrays + before; a < arrays + array_count; a++) {
        uint64_t start, pitch;
        if (!a->name[0]) {
            const char *name =
                named ? NULL : sim_origin_global(a->start, 4, &start, &pitch);
            snprintf(a->name, sizeof a->name, "%s", name ? name : "a buffer");
        }
        fprintf(file,
                "array\tname=%s\tstart=%llu\tbytes=%zu\telement=%zu\tld=%lld\n",
                a->name, (unsigned long long)a->start, a->bytes, a->element,
                (long long)a->ld);
        size_t element = a->element ? a->element : asked.element;
        int64_t at = asked.index[0];
        if (asked.indices > 1)
            at = a->ld ? at * a->ld + asked.index[1] : -1;
        if (at >= 0 && (size_t)at < a->bytes / element &&
            word_count < MOST_WORDS && same_name(a->name, asked.name))
            words[word_count++] =
                (word){a->start + (size_t)at * element, a->start, a->bytes, 0};
    }
}

static void read_word(unsigned i)
{
    size_t left = words[i].low + words[i].bytes - words[i].address;
    size_t bytes = asked.element < left ? asked.element : left;
    memcpy(&words[i].value, (const void *)words[i].address,
           bytes < 8 ? bytes : 8);
}

static void launch_begins(void)
{
    const unsigned *grid = sim_now.grid, *block = sim_now.block;
    fprintf(file, "launch\tlaunch=%u\tkernel=%s\tfile=%s\tline=%d",
            sim_now.serial, sim_now.name, sim_now.file ? sim_now.file : "",
            sim_now.line);
    fprintf(file, "\tgrid=%u %u %u\tblock=%u %u %u\n", grid[0], grid[1],
            grid[2], block[0], block[1], block[2]);
    find_arrays();
    for (unsigned i = 0; i < word_count; i++)
        read_word(i);
}

/** What is known of a buffer is over. */
static void freed(uintptr_t start, size_t bytes)
{
    for (size_t i = 0; i < array_count; i++)
        if (arrays[i].start - start < bytes)
            arrays[i--] = arrays[--array_count];
    for (size_t i = 0; i < word_count; i++)
        if (words[i].address - start < bytes)
            words[i--] = words[--word_count];
    for (uintptr_t a = start; a < start + bytes; a = (a | (GRANULE - 1)) + 1)
        if (granules[(a - sim_arena) >> GRANULE_SHIFT])
            mark(a, GRANULE - a % GRANULE, (writer){0});
}

/** Host code copies. */
static void copied(uintptr_t start, size_t bytes, bool write)
{
    if (write && in_arena(start)) {
        unsigned call = 1; /* the same as an earlier one, or new */
        sim_caller_note(calls[call_count + 1]);
        while (memcmp(calls[call], calls[call_count + 1], sizeof calls[0]))
            call++;
        call_count += call > call_count && call_count < MOST_CALLS - 2;
        mark(start, bytes, (writer){.by = HOST, .site = call});
    }
    for (unsigned i = 0; i < word_count && !write; i++)
        if (words[i].address - start < bytes) {
            read_word(i);
            look(i, true);
        }
}

static void at_end(void)
{
    for (unsigned i = 0; i < word_count; i++)
        look(i, false);
    fclose(file);
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
    size_t i = access_address(access) / 4;
    size_t end = (access_address(access) + access_bytes(access) + 3) / 4;
    for (; i < end && i < shared_count; i++)
        shared[i] = (shared_word){barriers + 1, site, thread,
                                  latest_site[thread], latest[thread]};
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

/** What the lane has loaded, if it has not stored there since. */
static void write_loaded(const sim_worker *w, const slice *s, uint32_t row)
{
    uint64_t a = s->access[row], p = access_address(a);
    uint32_t first = s->end, last = 0; /* row, and 1, of its stores there */
    for (uint32_t i = s->from; i < s->end; i++) {
        uint64_t b = s->access[i], q = access_address(b);
        if (access_op(b) != OP_LOAD && is_access(s, i) &&
            access_space(b) == access_space(a) && q < p + access_bytes(a) &&
            p < q + access_bytes(b)) {
            first = first < i ? first : i;
            last = i + 1;
        }
    }
    if (last <= row)
        write_value(access_space(a) == SPACE_SHARED
                        ? sim_cluster_byte(w, (uint32_t)p)
                        : (const void *)p,
                    access_bytes(a));
    for (unsigned i = 0; i < word_count && first >= row && last > row; i++)
        if (words[i].address == p && access_bytes(a) == asked.element)
            write_value(&words[i].value, access_bytes(a)); /* before it */
}

/** A word of shared memory, who has written it, and what it is a copy of. */
static void write_shared(const sim_worker *w, uint64_t a)
{
    const shared_word *s = &shared[access_address(a) / 4];
    const sim_site *to = sim_site_info(s->site),
                   *from = sim_site_info(s->from_site);
    fprintf(file, "\ttext=%s\twriter",
            sim_name_shared(access_address(a), w->dynamic_offset));
    if (!s->when) { /* or another block of the cluster has written it */
        fputs(sim_now.cluster_blocks > 1 ? "" : "\tby=nobody", file);
        return;
    }
    fprintf(file, "\tby=thread\tbarriers=%u\tthread=%u", s->when - 1,
            s->thread);
    write_place(s->site);
    if (!s->from || s->site == s->from_site || to->line != from->line ||
        !sim_same_text(to->file, from->file))
        return;
    fputs("\tfrom", file);
    write_value((const void *)access_address(s->from), access_bytes(s->from));
    write_word(access_address(s->from));
}

/** An access of the thread that is asked for. */
static void write_access(const sim_worker *w, const slice *s, uint32_t row)
{
    uint64_t a = s->access[row];
    fprintf(file, "read\tbytes=%u\tbarriers=%u", access_bytes(a), barriers);
    write_place(s->key[row] & SITE_MASK);
    write_loaded(w, s, row);
    if (access_space(a) == SPACE_SHARED)
        write_shared(w, a);
    else
        write_word(access_address(a));
    fputc('\n', file);
}

/* ---- what lanes do ------------------------------------------------------- */

/** A kernel has stored to global memory. */
static void note_store(uint64_t access, writer by)
{
    uintptr_t first = access_address(access);
    mark(first, access_bytes(access), by);
    for (unsigned i = 0; i < word_count; i++) {
        if (words[i].address - first >= access_bytes(access))
            continue;
        read_word(i);
        fprintf(file, "change\tnumber=%llu", (unsigned long long)++changes);
        write_value(&words[i].value, 8);
        write_word(words[i].address);
        fputc('\n', file);
        if (changes == asked.number) {
            fclose(file);
            _exit(0); /* that is all */
        }
        return;
    }
}

/** One entry of a lane's log. */
static void follow(sim_worker *w, unsigned thread, const slice *s, uint32_t row)
{
    uint64_t a = s->access[row];
    uint32_t site = s->key[row] & SITE_MASK;
    unsigned op = access_op(a);
    bool here = is_asked(w), global = access_space(a) == SPACE_GLOBAL;
    if ((op == OP_LOAD && !here) || !is_access(s, row))
        return;
    if (here && thread == asked.thread && access_reads(a))
        write_access(w, s, row);
    if (op != OP_LOAD && global) {
        note_store(a,
                   (writer){KERNEL, sim_now.serial, (uint32_t)w->block_number,
                            site, (uint16_t)thread, (uint16_t)op});
    } else if (op != OP_LOAD && here) {
        store_shared(a, thread, site);
    } else if (global) {
        latest[thread] = a;
        latest_site[thread] = site;
    }
}

static void lane_stops(sim_worker *w, const sim_lane *lane, uint32_t from)
{
    unsigned thread = lane_index(w, lane);
    slice s = {w->log->access[thread % LANES], w->log->key[thread % LANES],
               from, lane->logged};
    for (uint32_t row = from; row < s.end; row++)
        follow(w, thread, &s, row);
}

WATCHES void sim_why_watch(void)
{
    static const sim_watcher watcher = {.freed = freed,
                                        .copied = copied,
                                        .launch_begins = launch_begins,
                                        .block_begins = block_begins,
                                        .barrier = barrier,
                                        .lane_stops = lane_stops};
    const char *path = getenv("SIM_WHY"), *at = getenv("SIM_WHY_AT"),
               *of = getenv("SIM_WHY_STORE");
    if (!path || !*path)
        return;
    if (at)
        asked.indices = sscanf(at, "%31[^:]:%zu:%lld:%lld", asked.name,
                               &asked.element, asked.index, asked.index + 1) -
                        2;
    if (of)
        sscanf(of, "%u:%llu:%u:%llu", &asked.launch, &asked.block,
               &asked.thread, &asked.number);
    file = asked.indices > 0 && asked.element ? fopen(path, "w") : NULL;
    if (!file) {
        fprintf(stderr, "SIM_WHY=%s: no such file, or no SIM_WHY_AT\n", path);
        exit(STATUS_USAGE);
    }
    granules = sim_map((ARENA_BYTES >> GRANULE_SHIFT) * sizeof *granules);
    sim_watch(&watcher);
    atexit(at_end);
}
