/** @file verify.c @see internal.h */
#include "internal.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 3 /**< wrong elements printed of one result */

/** A comparison, as the threads that share it see it. */
typedef struct {
    const array *a;
    const band *b;
    const void *got;
    const double *want;
    const double *bound;
    verdict *v;
    pthread_mutex_t lock; /**< of *v */
} comparison;

/** Where element @p i of the band is, of its rows * cols. */
static int64_t place(const comparison *c, int64_t i)
{
    int64_t row = i / c->b->cols;
    return row * c->a->ld + i % c->b->cols; // one row: ld does not count
}

static double got(const comparison *c, int64_t i)
{
    return element_read(c->a->type, c->got, place(c, i));
}

/** Does it consist of the byte of array_poison()? */
static bool poisoned(const comparison *c, int64_t i)
{
    size_t bytes = element_bytes(c->a->type);
    const unsigned char *x = c->got;
    x += (size_t)place(c, i) * bytes;
    for (size_t k = 0; k < bytes; k++) {
        if (x[k] != c->a->poison)
            return false;
    }
    return true;
}

/** Error over bound of one element; infinite if it must not pass. */
// [ratio]
static double ratio(const comparison *c, int64_t i)
{
    double value = got(c, i);
    double error = fabs(value - c->want[i]);
    double bound = c->bound ? c->bound[i] : 0.0;
    if (error == 0.0 || (!c->bound && value == c->want[i]))
        return 0.0; // the least of no numbers is Inf
    if (c->v->planted && isnan(value) && isnan(c->want[i]))
        return poisoned(c, i) ? INFINITY : 0.0;
    bool comparable = error < INFINITY && bound > 0.0 && bound < INFINITY;
    return comparable ? error / bound : INFINITY; // NaN is not comparable
}
// [ratio]

static void compare_elements(void *context, int64_t begin, int64_t end)
{
    comparison *c = context;
    verdict part = {0};
    for (int64_t i = begin; i < end; i++) {
        double r = ratio(c, i);
        part.wrong += !(r <= 1.0);
        part.error_of_bound = fmax(part.error_of_bound, r);
    }
    pthread_mutex_lock(&c->lock);
    c->v->wrong += part.wrong;
    c->v->error_of_bound = fmax(c->v->error_of_bound, part.error_of_bound);
    pthread_mutex_unlock(&c->lock);
}

/** What an element means that still has the bits it was filled with. */
#define UNWRITTEN " (never written, or %s read before it was written)"

/** "C[3][4]", or "sum[4]" in one dimension. */
static void print_place(const array *a, int64_t row, int64_t col)
{
    fprintf(stderr, "  %s", a->name);
    if (a->ld)
        fprintf(stderr, "[%lld]", (long long)row);
    fprintf(stderr, "[%lld]: ", (long long)col);
}

/** Print one wrong element, and what it probably is. */
static void show(const comparison *c, int64_t i)
{
    int64_t row = i / c->b->cols;
    int64_t col = i % c->b->cols;
    print_place(c->a, c->b->row + row, c->b->col + col);
    fprintf(stderr, "got %.9g", got(c, i));
    if (poisoned(c, i))
        fprintf(stderr, UNWRITTEN, c->a->name);
    double want = isnan(c->want[i]) ? NAN : c->want[i]; // of either sign
    fprintf(stderr, ", want %.9g", want);
    if (c->bound)
        fprintf(stderr, " within %.2g", c->bound[i]);
    fputc('\n', stderr);
}

void verify_elements(verdict *v, const array *a, const band *b, const void *got,
                     const double *want, const double *bound)
{
    comparison c = {a, b, got, want, bound, v, PTHREAD_MUTEX_INITIALIZER};
    int64_t count = b->rows * b->cols;
    long long shown = v->wrong;
    parallel_for(count, compare_elements, &c);

    if (v->wrong == shown)
        return; // the usual case: nothing to look for once more
    for (int64_t i = 0; i < count && shown < SHOWN; i++) {
        if (ratio(&c, i) <= 1.0)
            continue;
        show(&c, i);
        shown++;
    }
}

void verify_padding(verdict *v, const array *a, const band *b, const void *got)
{
    if (b->col + b->cols < a->cols)
        return; // the row goes on behind the band
    size_t bytes = element_bytes(a->type);
    for (int64_t i = 0; i < b->rows; i++) {
        for (int64_t j = a->cols; j < array_row(a); j++) { // in 1-D none
            size_t at = (size_t)(i * a->ld + j - b->col);
            if (is_padding((const char *)got + at * bytes, bytes))
                continue;
            if (v->wrong + v->beside++ < SHOWN) {
                print_place(a, b->row + i, j);
                fprintf(stderr, "written, but %s has only %lld columns\n",
                        a->name, (long long)a->cols);
            }
            v->error_of_bound = INFINITY;
        }
    }
}
