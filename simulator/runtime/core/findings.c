/**
 * @file findings.c
 * @brief Collects findings, prints them at the end, sets the exit status.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inside.h"

#define MANY_FINDINGS 256 /**< different ones; more are only counted */
#define MOST_LINES 20     /**< printed; the rest is counted */
#define COLUMNS 100       /**< of a line */

/** One entry of the list. */
typedef struct {
    const char *kind;      /**< a string constant */
    char *message;         /**< lines: what, then details */
    char *text;            /**< "file:line:col: kind: message" in one line */
    char *file;            /**< of the place */
    int line;              /**< of the place */
    int column;            /**< of the place, 0: unknown */
    uint32_t site;         /**< of the place, 0: unknown */
    uint32_t other;        /**< second site of a race */
    uint64_t block;        /**< where the kept message comes from */
    uint64_t count;        /**< times found */
    uint64_t launch_count; /**< in this launch */
    uint32_t first_launch; /**< in which it was found first */
    uint32_t launch;       /**< that the message comes from */
    bool aborted;          /**< do not print the count */
} finding;

const char *const sim_verbs[] = {"read", "write", "atomic operation"};

static finding *list;
static size_t count, left_out;
static bool printed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_note(const finding *f)
{
    size_t length = strlen(f->kind);
    return length > 5 && !strcmp(f->kind + length - 5, "-note");
}

/* ---- adding -------------------------------------------------------------- */

/** Fill in the place from the site, or from the launch if nothing is known. */
static void complete_place(sim_place *place)
{
    const sim_site *site = sim_site_info(place->site);
    if (site->file) {
        place->file = site->file;
        place->line = site->line;
        place->column = site->column;
    } else if (!place->file) {
        place->file = sim_now.file ? sim_now.file : "?";
        place->line = sim_now.line;
    }
}

/** "a.cu:7:5", or "a.cu:7" if the column is unknown. */
static const char *place_text(const finding *f)
{
    return f->column ? sim_format("%s:%d:%d", f->file, f->line, f->column)
                     : sim_format("%s:%d", f->file, f->line);
}

/** Keep a message: its lines, and all of it in one line. */
static void set_message(finding *f, const sim_place *place, const char *message)
{
    const sim_site *site = sim_site_info(place->site);
    char *lines = NULL, *text = NULL;
    if (asprintf(&lines, "%s%s%s", message,
                 site->callers ? "\ncalled from " : "",
                 site->callers ? site->callers : "") < 0)
        abort();
    size_t length;
    FILE *line = open_memstream(&text, &length);
    fprintf(line, "%s: %s: ", place_text(f), f->kind);
    for (const char *at = lines; *at; at++)
        *at == '\n' ? fputs("; ", line) : fputc(*at, line);
    fclose(line);
    free(f->message);
    free(f->text);
    f->message = lines;
    f->text = text;
    f->block = place->block;
    f->launch = sim_now.serial;
}

/** Inlining and unrolling make several sites of one place in the source. */
static bool same_position(uint32_t a, uint32_t b)
{
    return a == b || sim_same_place(a, b);
}

/** Count what is in the list already, or does not fit into it.
 *  @param known  set to the entry of this kind and place, or NULL
 *  @return nothing is left to do: the message that is kept stays */
static bool counted(const char *kind, const sim_place *place, finding **known)
{
    finding *f = NULL;
    for (size_t i = 0; i < count && !f; i++)
        if (list[i].line == place->line && list[i].column == place->column &&
            !strcmp(list[i].kind, kind) && !strcmp(list[i].file, place->file) &&
            same_position(list[i].other, place->other))
            f = &list[i];
    *known = f;
    if (!f) {
        left_out += count == MANY_FINDINGS;
        return count == MANY_FINDINGS;
    }
    if (place->block < f->block && f->launch == sim_now.serial)
        return false;
    f->count++;
    f->launch_count++;
    return true;
}

bool sim_found_before(const char *kind, sim_place place)
{
    finding *known;
    pthread_mutex_lock(&lock);
    complete_place(&place);
    bool done = counted(kind, &place, &known);
    pthread_mutex_unlock(&lock);
    return done;
}

void sim_finding(const char *kind, sim_place place, const char *format, ...)
{
    char *message;
    va_list values;
    va_start(values, format);
    if (vasprintf(&message, format, values) < 0)
        abort();
    va_end(values);
    finding *f;
    pthread_mutex_lock(&lock);
    complete_place(&place);
    if (!counted(kind, &place, &f)) {
        if (!f) {
            if (!list)
                list = sim_new(MANY_FINDINGS * sizeof *list);
            f = &list[count++];
            *f = (finding){.kind = kind,
                           .file = strdup(place.file),
                           .line = place.line,
                           .column = place.column,
                           .site = place.site,
                           .other = place.other,
                           .first_launch =
                               place.since ? place.since - 1 : sim_now.serial};
        }
        set_message(f, &place, message);
        f->count++;
        f->launch_count++;
    }
    pthread_mutex_unlock(&lock);
    free(message);
}

void sim_findings_begin_launch(void)
{
    for (size_t i = 0; i < count; i++)
        list[i].launch_count = 0;
}

void sim_findings_aborted(void)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].launch_count)
            list[i].aborted = true;
}

/* ---- output -------------------------------------------------------------- */

/** Findings that lead to others come first. */
static int rank(const finding *f)
{
    static const char *const causes[] = {
        "shared-race",        "global-race",   "missing-fence", "warp-race",
        "barrier-divergence", "launch-limits", "unread-error"};
    if (is_note(f))
        return 4;
    if (!strcmp(f->kind, "async-copy"))
        return 0;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (!strcmp(f->kind, causes[i]))
            return 1;
    return strncmp(f->kind, "uninitialised", 13) ? 3 : 2;
}

/** Which of several came first is up to the OS threads: by launch, causes
 *  before consequences, by place. */
static int by_cause(const void *a, const void *b)
{
    const finding *x = *(const finding *const *)a;
    const finding *y = *(const finding *const *)b;
    int order = COMPARE(x->first_launch, y->first_launch);
    if (!order)
        order = rank(x) - rank(y);
    if (!order)
        order = strcmp(x->file, y->file);
    if (!order)
        order = COMPARE(x->line, y->line);
    if (!order)
        order = COMPARE(x->column, y->column);
    return order ? order : strcmp(x->text, y->text);
}

/** Is one line an end of both races? */
static bool meet(const finding *x, const finding *y)
{
    const uint32_t ends[2] = {x->site, x->other},
                   others[2] = {y->site, y->other};
    for (int i = 0; i < 4; i++) {
        const sim_site *a = sim_site_info(ends[i / 2]);
        const sim_site *b = sim_site_info(others[i % 2]);
        if (a->file && b->file && a->line == b->line &&
            !strcmp(a->file, b->file))
            return true;
    }
    return false;
}

/** A race is shown once, not from both of its ends. One inside a warp is not
 *  shown where warps race at the same line: the __syncthreads that is missing
 *  there is missing here, and __syncwarp would teach the wrong thing. Some
 *  notes are shown only where nothing is wrong, and no other one says more. */
static bool is_hidden(const finding *f)
{
    bool in_warp = !strcmp(f->kind, "warp-race");
    bool modest =
        !strcmp(f->kind, "same-word-note") || !strcmp(f->kind, "coverage-note");
    bool copy = !strcmp(f->kind, "uninitialised-copy-note");
    for (size_t i = 0; i < count; i++)
        if ((modest && !is_note(&list[i])) ||
            (copy && list[i].line == f->line &&
             !strcmp(list[i].kind, "coverage-note")))
            return true;
    for (size_t i = 0; i < count && f->other; i++) {
        const finding *g = &list[i];
        if (!strcmp(f->kind, g->kind) && by_cause(&g, &f) < 0 &&
            same_position(f->site, g->other) &&
            same_position(f->other, g->site))
            return true;
        if (in_warp && !strcmp(g->kind, "shared-race") && meet(f, g))
            return true;
        /* x = x + 1 by many: that it is also written twice follows. */
        const sim_site *read = sim_site_info(g->other);
        if (!strcmp(f->kind, g->kind) && same_position(f->site, f->other) &&
            same_position(f->site, g->site) && f != g && f->line == read->line)
            return true;
    }
    return false;
}

/** All findings that are shown, in order. @return how many */
static size_t sort(const finding *sorted[MANY_FINDINGS])
{
    size_t shown = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_hidden(&list[i]))
            sorted[shown++] = &list[i];
    qsort(sorted, shown, sizeof *sorted, by_cause);
    return shown;
}

/** Print words until a line is full, the others indented below; @p blank
 *  comes before the first one. @return lines */
static int print_words(FILE *file, int column, const char *blank,
                       const char *text, size_t length)
{
    int lines = 1;
    for (const char *end = text + length; text < end;) {
        int word = (int)strcspn(text, " \n");
        if (word > end - text)
            word = (int)(end - text);
        if (column + word >= COLUMNS && column > 6) {
            blank = "\n      ";
            column = 6;
            lines++;
        }
        column += fprintf(file, "%s%.*s", blank, word, text);
        blank = " ";
        text += word + 1;
    }
    return lines;
}

/** Print one finding: where and what, then indented the details; the count
 *  only where it does not depend on luck. @return lines */
static int print(FILE *file, const finding *f)
{
    int column = fprintf(file, "%s: %s:", place_text(f), f->kind), lines = 0;
    const char *blank = " ";
    for (const char *text = f->message; *text; blank = "") {
        size_t length = strcspn(text, "\n");
        lines += print_words(file, column, blank, text, length);
        text += length;
        if (*text == '\n' && *++text)
            column = fprintf(file, "\n    ");
    }
    if (f->count > 1 && !f->aborted)
        fprintf(file, " (x %llu)", (unsigned long long)f->count);
    fputc('\n', file);
    return lines;
}

void (*sim_findings_last)(void);

void sim_findings_print(void)
{
    if (!printed && sim_print_waits())
        sim_finding("lost-output", (sim_place){0},
                    "what %s has printed is not shown\nthe program ends before "
                    "it has waited for the kernel: cudaDeviceSynchronize()",
                    sim_now.name);
    if (!printed && sim_findings_last)
        sim_findings_last();
    if (printed || !count)
        return;
    printed = true;
    const finding *sorted[MANY_FINDINGS];
    size_t shown = sort(sorted), next = 0;
    for (int lines = 0; next < shown && lines < MOST_LINES; next++)
        lines += print(stderr, sorted[next]);
    if (next < shown || left_out)
        fprintf(stderr,
                "simulator: %zu more findings; SIM_REPORT=FILE has %s\n",
                shown - next + left_out, left_out ? "most" : "all");
}

void sim_findings_json(FILE *file)
{
    bool first = true;
    const finding *sorted[MANY_FINDINGS];
    size_t shown = sort(sorted);
    fputc('[', file);
    for (size_t i = 0; i < shown; i++) {
        const finding *f = sorted[i];
        if (!f->launch_count)
            continue;
        sim_json_string(file, first ? "{\"kind\":" : ",{\"kind\":", f->kind);
        first = false;
        sim_json_string(file, ",\"file\":", f->file);
        fprintf(file, ",\"line\":%d,\"column\":%d", f->line, f->column);
        sim_json_string(file, ",\"message\":",
                        f->text + strlen(place_text(f)) + strlen(f->kind) + 4);
        fprintf(file, ",\"count\":%llu}",
                (unsigned long long)(f->aborted ? 1 : f->launch_count));
    }
    fputc(']', file);
}

/* ---- the end of the program ---------------------------------------------- */

int sim_finding_count(void)
{
    int findings = 0;
    for (size_t i = 0; i < count; i++)
        findings += !is_note(&list[i]) && !is_hidden(&list[i]);
    return findings;
}

const char *sim_finding_text(int number)
{
    const finding *sorted[MANY_FINDINGS];
    size_t shown = sort(sorted);
    for (size_t i = 0; i < shown; i++)
        if (!is_note(sorted[i]) && number-- == 0)
            return sorted[i]->text;
    return NULL;
}

static bool assertions_expected; /* see sim_findings_expect_assertions() */

void sim_findings_expect_assertions(void)
{
    assertions_expected = true;
}

/** Findings that decide about the status. */
static int serious_count(void)
{
    int findings = sim_finding_count();
    for (size_t i = 0; i < count && assertions_expected; i++)
        findings -= !is_hidden(&list[i]) && !strcmp(list[i].kind, "assertion");
    return findings;
}

/** Print what there is. @return the status that the program ends with */
static int last_words(int status)
{
    sim_findings_print();
    return status == 0 && serious_count() > 0 ? STATUS_FINDING : status;
}

_Noreturn void sim_findings_end(void)
{
    sim_print_now();
    fflush(stdout);
    sim_findings_print();
    fflush(NULL);
    _exit(STATUS_FINDING);
}

/** Runs last: it was registered before main() began. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    fflush(stdout);
    int last = last_words(status);
    if (last != status) {
        fflush(NULL);
        _exit(last);
    }
}

static pid_t own_process; /* a child has no findings of its own */

/* Instead of the C library's: findings are not lost, but buffers of stdio are,
 * as they should be. */
_Noreturn void _exit(int status)
{
    if (getpid() == own_process)
        status = last_words(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

_Noreturn void _Exit(int status)
{
    _exit(status);
}

__attribute__((constructor)) static void watch_exit(void)
{
    own_process = getpid();
    on_exit(at_exit, NULL);
}
