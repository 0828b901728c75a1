/**
 * @file findings.c
 * @brief Collects findings, prints them at the end, sets the exit status.
 */
#define _GNU_SOURCE
#include "findings.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../include/sim.h"
#include "alloc.h"
#include "sites.h"
#include "text.h"
#include "worker.h"

#define MANY_FINDINGS 256 /**< different ones; more are only counted */

/** One entry of the list. */
typedef struct {
    char *text;            /**< "file:line:col: kind: message" */
    const char *kind;      /**< a string constant */
    char *file;            /**< of the place */
    int line;              /**< of the place */
    int column;            /**< of the place, 0: unknown */
    const char *message;   /**< points into text */
    uint32_t other;        /**< second site of a race */
    uint64_t block;        /**< where the kept message comes from */
    uint64_t count;        /**< times found */
    uint64_t launch_count; /**< in this launch */
    uint32_t launch;       /**< that the message comes from */
    bool aborted;          /**< do not print the count */
} finding;

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

static void set_message(finding *f, const sim_place *place, const char *message)
{
    const sim_site *site = sim_site_info(place->site);
    char column[16] = "";
    if (place->column)
        snprintf(column, sizeof column, ":%d", place->column);
    char *text = NULL;
    int length = asprintf(
        &text, "%s:%d%s: %s: %s%s%s%s", place->file, place->line, column,
        f->kind, message, site->callers ? " (called from " : "",
        site->callers ? site->callers : "", site->callers ? ")" : "");
    if (length < 0)
        return;
    free(f->text);
    f->text = text;
    f->message =
        strstr(text + strlen(place->file), f->kind) + strlen(f->kind) + 2;
    f->block = place->block;
    f->launch = sim_now.serial;
}

/** Inlining and unrolling make several sites of one place in the source. */
static bool same_position(uint32_t a, uint32_t b)
{
    const sim_site *x = sim_site_info(a), *y = sim_site_info(b);
    if (a == b || !x->file || !y->file)
        return a == b;
    return x->line == y->line && x->column == y->column &&
           !strcmp(x->file, y->file);
}

void sim_finding(const char *kind, sim_place place, const char *message)
{
    pthread_mutex_lock(&lock);
    complete_place(&place);
    finding *f = NULL;
    for (size_t i = 0; i < count && !f; i++)
        if (list[i].line == place.line && list[i].column == place.column &&
            !strcmp(list[i].kind, kind) && !strcmp(list[i].file, place.file) &&
            same_position(list[i].other, place.other))
            f = &list[i];
    if (!f && count == MANY_FINDINGS) {
        left_out++;
        pthread_mutex_unlock(&lock);
        return;
    }
    if (!f) {
        if (!list)
            list = sim_new(MANY_FINDINGS * sizeof *list);
        f = &list[count++];
        *f = (finding){.kind = kind,
                       .file = strdup(place.file),
                       .line = place.line,
                       .column = place.column,
                       .other = place.other};
        set_message(f, &place, message);
    } else if (place.block < f->block && f->launch == sim_now.serial) {
        set_message(f, &place, message);
    }
    f->count++;
    f->launch_count++;
    pthread_mutex_unlock(&lock);
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

static int by_place(const void *a, const void *b)
{
    const finding *x = *(const finding *const *)a;
    const finding *y = *(const finding *const *)b;
    int order = strcmp(x->file, y->file);
    if (!order)
        order = (x->line > y->line) - (x->line < y->line);
    if (!order)
        order = (x->column > y->column) - (x->column < y->column);
    return order ? order : strcmp(x->text, y->text);
}

/** Print one finding; the count only where it does not depend on luck. */
static void print(FILE *file, const finding *f)
{
    if (f->count > 1 && !f->aborted)
        fprintf(file, "%s (x %llu)\n", f->text, (unsigned long long)f->count);
    else
        fprintf(file, "%s\n", f->text);
}

/** Which of several came first is up to the OS threads: by place instead. */
static void sort(const finding *sorted[MANY_FINDINGS])
{
    for (size_t i = 0; i < count; i++)
        sorted[i] = &list[i];
    qsort(sorted, count, sizeof *sorted, by_place);
}

void sim_findings_print(void)
{
    if (printed || !count)
        return;
    printed = true;
    const finding *sorted[MANY_FINDINGS];
    sort(sorted);
    for (size_t i = 0; i < count; i++)
        print(stderr, sorted[i]);
    if (left_out)
        fprintf(stderr, "simulator: %zu more findings are not shown\n",
                left_out);
}

void sim_findings_json(FILE *file)
{
    bool first = true;
    const finding *sorted[MANY_FINDINGS];
    sort(sorted);
    fputc('[', file);
    for (size_t i = 0; i < count; i++) {
        const finding *f = sorted[i];
        if (!f->launch_count)
            continue;
        fputs(first ? "{\"kind\":" : ",{\"kind\":", file);
        first = false;
        sim_json_string(file, f->kind);
        fputs(",\"file\":", file);
        sim_json_string(file, f->file);
        fprintf(file, ",\"line\":%d,\"column\":%d,\"message\":", f->line,
                f->column);
        sim_json_string(file, f->message);
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
        findings += !is_note(&list[i]);
    return findings;
}

const char *sim_finding_text(int number)
{
    for (size_t i = 0; i < count; i++)
        if (!is_note(&list[i]) && number-- == 0)
            return list[i].text;
    return NULL;
}

/** Runs last: it was registered before main() began. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    fflush(stdout);
    sim_findings_print();
    if (status == 0 && sim_finding_count() > 0) {
        fflush(NULL);
        _exit(STATUS_FINDING);
    }
}

__attribute__((constructor)) static void watch_exit(void)
{
    on_exit(at_exit, NULL);
}
