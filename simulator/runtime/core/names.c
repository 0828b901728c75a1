/**
 * @file names.c
 * @brief Names of places in memory, for findings.
 *
 * A buffer has a name if the program gave it one (sim_name_array), or if the
 * line of its cudaMalloc can be read: `cudaMalloc(&d_a, bytes)` makes d_a.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <unistd.h>

#include "inside.h"

#define LINE_BYTES 1024 /**< of a line of source that is looked at */
#define MOST_INDICES 8  /**< dimensions of a shared array */
#define OWN_BYTES 8     /**< an element of more bytes may be a structure */

/* ---- arrays of the program ----------------------------------------------- */

/** "gemm_kernel::As" is As: the line says which kernel it is. */
static const char *own_name(const sim_array *a)
{
    const char *colon = strrchr(a->name, ':');
    return colon ? colon + 1 : a->name;
}

/** The sizes "2 16" of an array's dimensions as numbers. @return how many */
static int read_dimensions(const char *text, size_t dimensions[MOST_INDICES])
{
    int count = 0;
    char *end;
    while (*text && count < MOST_INDICES) {
        dimensions[count++] = strtoull(text, &end, 10);
        text = end + (*end == ' ');
    }
    return count;
}

/** "tile[32][33]": an array and its sizes. */
static const char *whole_name(const sim_array *a)
{
    size_t dimensions[MOST_INDICES];
    int count = read_dimensions(a->dimensions, dimensions);
    const char *text = own_name(a);
    for (int i = 0; i < count; i++)
        text = sim_format("%s[%zu]", text, dimensions[i]);
    return text;
}

/** "tile[1][0]" for a byte of an array. */
static const char *element_name(const sim_array *a, size_t byte)
{
    size_t dimensions[MOST_INDICES], index = byte / a->element;
    int count = read_dimensions(a->dimensions, dimensions);
    size_t rest = byte % a->element, below = 1;
    for (int i = 1; i < count; i++)
        below *= dimensions[i];
    const char *text = own_name(a);
    if (rest && a->element <= OWN_BYTES)
        text = sim_format("byte %zu of %s", rest, text);
    for (int i = 0; i < count; i++) {
        text = sim_format("%s[%zu]", text, index / below);
        index %= below;
        below /= i + 1 < count ? dimensions[i + 1] : 1;
    }
    return text;
}

/** "1 row", "2 rows". */
static const char *plural(int64_t n, const char *unit)
{
    return sim_format("%lld %s%s", (long long)n, unit, n == 1 ? "" : "s");
}

/** Where a byte is that is in an array, or behind it. */
static const char *where_of(const sim_array *a, size_t byte)
{
    return byte < a->bytes
               ? sim_format("%s has %zu bytes", whole_name(a), a->bytes)
               : sim_format(
                     "%s past the end of %s",
                     plural((int64_t)((byte - a->bytes) / a->element + 1),
                            "element"),
                     whole_name(a));
}

/* ---- global memory ------------------------------------------------------- */

/** Call number @p call in a line that allocates; NULL: there are fewer. */
static const char *call_at(const char *line, unsigned call)
{
    for (const char *at = strstr(line, "cuda"); at; at = strstr(at + 1, "cuda"))
        if ((!strncmp(at, "cudaMalloc", 10) ||
             !strncmp(at, "cudaHostAlloc(", 14)) &&
            call-- == 0)
            return at;
    return NULL;
}

/** The first argument of call number @p call in a line, less "(void **)&".
 *  @return false: it is not a plain name */
static bool read_argument(const char *line, unsigned call,
                          char name[ARRAY_NAME])
{
    const char *at = call_at(line, call);
    at = at ? strchr(at, '(') : NULL;
    if (!at)
        return false;
    const char *end = strchr(at, ',');
    for (const char *p = at; end && p < end; p++)
        if (*p == '&' || *p == ')')
            at = p;
    size_t length = 0;
    for (at++; *at == ' '; at++)
        ;
    while (isalnum((unsigned char)at[length]) || strchr("_.->", at[length]))
        length++;
    if (!length || at + length != end || length >= ARRAY_NAME)
        return false;
    memcpy(name, at, length);
    name[length] = 0;
    return true;
}

/** Where was it allocated, if nobody has said so, or by a path that leads
 *  nowhere from this folder? */
static void find_line(sim_allocation *b)
{
    if (b->file && !access(b->file, R_OK))
        return;
    sim_place place = sim_caller_noted(b->frames);
    if (place.line) {
        b->file = strdup(place.file);
        b->line = place.line;
    }
}

static bool same_line(sim_allocation *one, const sim_allocation *b)
{
    find_line(one);
    return one->line == b->line && sim_same_text(one->file, b->file);
}

/** A line of a source; "": it is not there. */
static void read_line(const char *path, int number, char line[LINE_BYTES])
{
    FILE *file = path ? fopen(path, "r") : NULL;
    line[0] = 0;
    for (int i = 0; file && i < number; i++)
        if (!fgets(line, LINE_BYTES, file))
            line[0] = 0;
    if (file)
        fclose(file);
}

/** Name a buffer after the variable of the line that allocated it. */
static void read_name(sim_allocation *b)
{
    find_line(b);
    char line[LINE_BYTES];
    read_line(b->file, b->line, line);
    unsigned calls = 0;
    while (call_at(line, calls))
        calls++;
    unsigned call = calls > 1 ? sim_count_before(b, same_line) % calls : 0;
    if (!read_argument(line, call, b->array.name))
        snprintf(b->array.name, sizeof b->array.name, "a buffer");
}

/** The buffer of an address, with a name. @return false: none is near */
static bool find_named(uintptr_t address, unsigned bytes, sim_allocation *b)
{
    if (!sim_nearest(address, b))
        return false;
    if (!b->array.name[0]) {
        read_name(b);
        b->array.start = b->start;
        b->array.element = bytes;
    }
    return true;
}

/** Quotient and remainder for a divisor above 0; the remainder is not
 *  negative. */
static int64_t divide(int64_t value, int64_t by, int64_t *remainder)
{
    int64_t quotient = value / by - (value % by < 0);
    *remainder = value - quotient * by;
    return quotient;
}

const char *sim_name_global(uintptr_t address, unsigned bytes)
{
    sim_allocation b;
    if (!in_arena(address)) {
        const sim_variable_info *v = sim_variable_before(address);
        return v && sim_is_variable(address)
                   ? element_name(&v->array, address - v->array.offset)
               : sim_is_registered((void *)address) ? "registered host memory"
                                                    : "a variable";
    }
    if (!find_named(address, bytes, &b))
        return "no buffer";
    const sim_array_name *a = &b.array;
    int64_t rest, col;
    int64_t index =
        divide((int64_t)(address - a->start), (int64_t)a->element, &rest);
    const char *part = rest && a->element <= OWN_BYTES
                           ? sim_format("byte %d of ", (int)rest)
                           : "";
    if (!a->ld)
        return sim_format("%s%s[%lld]", part, a->name, (long long)index);
    int64_t row = divide(index, a->ld, &col);
    return sim_format("%s%s[%lld][%lld]", part, a->name, (long long)row,
                      (long long)col);
}

const char *sim_origin_global(uintptr_t address, unsigned bytes,
                              uint64_t *start, uint64_t *pitch)
{
    sim_allocation b;
    *start = sim_is_variable(address) ? sim_image : 0;
    if (!in_arena(address) || !find_named(address, bytes, &b))
        return NULL;
    *start = b.array.start;
    *pitch = (uint64_t)b.array.ld * b.array.element;
    return sim_format("%s", b.array.name);
}

/** How far outside of its array an address is, in rows or elements. */
static const char *distance(const sim_allocation *b, uintptr_t address)
{
    const sim_array_name *a = &b->array;
    int64_t unit = (int64_t)a->element * (a->ld ? a->ld : 1), rest;
    int64_t at = divide((int64_t)(address - a->start), unit, &rest);
    int64_t count = divide((int64_t)(b->start + b->size - a->start) + unit - 1,
                           unit, &rest);
    const char *name = a->ld ? "row" : "element";
    if (a->ld && at == count - 1) { /* past the end, but in the last row */
        name = "element";
        at = (int64_t)(address - b->start - b->size) / (int64_t)a->element;
        count = 0;
    }
    if (at < 0)
        return sim_format("%s before the start", plural(-at, name));
    return sim_format("%s past the end", plural(at - count + 1, name));
}

const char *sim_where_global(uintptr_t address, unsigned bytes)
{
    sim_allocation b;
    if (!in_arena(address)) {
        const sim_variable_info *v = sim_variable_before(address);
        return v && sim_is_variable(address)
                   ? where_of(&v->array, address - v->array.offset)
                   : "it is not in a buffer of cudaMalloc";
    }
    if (!find_named(address, bytes, &b))
        return "no buffer is near";
    const sim_array_name *a = &b.array;
    long long elements = (long long)(b.size / a->element);
    const char *size =
        a->ld ? sim_format("%lld x %lld elements",
                           elements / a->ld + (elements % a->ld != 0),
                           (long long)a->cols)
              : plural(elements, "element");
    const char *where = "";
    if (b.file)
        where = sim_format("\nallocated at %s:%d", b.file, b.line);
    if (!b.live)
        return sim_format("%s, %s of %zu bytes, was freed%s", a->name, size,
                          a->element, where);
    if (address - b.start < b.size)
        return sim_format("%s has %s of %zu bytes%s", a->name, size, a->element,
                          where);
    return sim_format("%s of %s, which has %s of %zu bytes%s",
                      distance(&b, address), a->name, size, a->element, where);
}

#define MOST_TURNS 16 /**< of 2^32 that are looked at, up and down */

const char *sim_overflow_global(uintptr_t address, unsigned bytes,
                                const char **name)
{
    sim_allocation b;
    for (int i = 0; i < 2 * MOST_TURNS; i++) {
        int64_t turns = i % 2 ? -(i / 2 + 1) : i / 2 + 1;
        for (unsigned unit = bytes; unit; unit /= 2) {
            uintptr_t right = address + ((uintptr_t)(turns * unit) << 32);
            if (!in_arena(right) || !sim_find((void *)right, &b) ||
                !find_named(right, unit > 1 ? unit : bytes, &b))
                continue;
            int64_t element = (int64_t)b.array.element;
            *name = sim_format(
                "%s[%lld]", b.array.name,
                (long long)((int64_t)(address - b.array.start) / element));
            return sim_format(
                "an index of 32 bits has overflowed: %s2^32 %s %s lies %s; "
                "calculate it in int64_t or size_t",
                i > 1 ? sim_format("%d * ", i / 2 + 1) : "",
                unit > 1 || bytes == 1 ? "elements" : "bytes",
                turns > 0 ? "on" : "back",
                sim_name_global(right, unit > 1 ? unit : bytes));
        }
    }
    return NULL;
}

/* ---- shared memory ------------------------------------------------------- */

/** The last array that begins at or before an offset; NULL: none. */
static const sim_array *array_before(size_t offset)
{
    const sim_array *arrays, *nearest = NULL;
    size_t count = sim_arrays(&arrays);
    for (size_t i = 0; i < count && arrays[i].offset <= offset; i++)
        nearest = &arrays[i];
    return nearest;
}

const char *sim_origin_shared(size_t offset, size_t dynamic_offset,
                              uint64_t *start, uint64_t *pitch)
{
    const sim_array *a = array_before(offset);
    bool dynamic = offset >= dynamic_offset;
    if (dynamic || !a || offset - a->offset >= a->bytes) {
        *start = dynamic ? dynamic_offset : 0;
        return NULL;
    }
    size_t dimensions[MOST_INDICES];
    int count = read_dimensions(a->dimensions, dimensions);
    *start = a->offset;
    *pitch = count > 1 ? dimensions[count - 1] * a->element : 0;
    return own_name(a);
}

const char *sim_name_shared(size_t offset, size_t dynamic_offset)
{
    if (offset > SIZE_MAX / 2) /* negative */
        return "shared memory";
    const sim_worker *w = sim_self;
    if (offset >= dynamic_offset && w->dynamic_name)
        return element_name(
            &(sim_array){.name = w->dynamic_name,
                         .element = w->dynamic_element,
                         .dimensions = w->dynamic_row > 1
                                           ? sim_format("0 %u", w->dynamic_row)
                                           : "0"},
            offset - dynamic_offset);
    if (offset >= dynamic_offset)
        return sim_format("byte %zu of dynamic shared memory",
                          offset - dynamic_offset);
    const sim_array *a = array_before(offset);
    return a && offset - a->offset < a->bytes
               ? element_name(a, offset - a->offset)
               : "shared memory";
}

const char *sim_array_at(const sim_site *site)
{
    size_t at = (size_t)site->column - 1;
    char line[LINE_BYTES];
    read_line(site->file, site->line, line);
    if (site->callers || at >= strlen(line))
        return NULL;
    if (!isalnum((unsigned char)line[at])) /* at "=": what stands left of it */
        at = memchr(line, '=', at) ? at : strspn(line, " \t");
    size_t end = at;
    while (isalnum((unsigned char)line[end]) || line[end] == '_')
        end++;
    return line[end] == '[' ? sim_format("%.*s", (int)(end - at), line + at)
                            : NULL;
}

const char *sim_where_shared(size_t offset, size_t dynamic_offset,
                             size_t dynamic_bytes)
{
    if (offset > SIZE_MAX / 2) /* negative */
        return sim_format("%zu bytes before the start of shared memory",
                          -offset);
    if (offset >= dynamic_offset)
        return sim_format("of dynamic shared memory the launch gave %zu bytes",
                          dynamic_bytes);
    const sim_array *a = array_before(offset);
    return a ? where_of(a, offset - a->offset)
             : "before the start of all __shared__ arrays";
}
