/**
 * @file verify.c
 * @brief Comparisons that can fail.
 */
#include "verify.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "data.h"
#include "parallel.h"

#define SHOWN 3 /**< wrong elements printed of one result */

double verify_gamma(double n)
{
    double nu = n * 0x1p-24;
    return nu < 0.5 ? nu / (1.0 - nu) : 2.0 * nu;
}

/** A comparison, as the threads that share it see it. */
typedef struct {
    const float *got;
    const double *want;
    const double *bound;
    int cols;
    int ld;
    verdict *v;
    pthread_mutex_t lock; /**< of *v */
} comparison;

/** Error over bound of one element; infinite if it must not pass. */
static double ratio(const comparison *c, int i, int j)
{
    int64_t at = (int64_t)i * c->cols + j;
    double error = fabs((double)c->got[(int64_t)i * c->ld + j] - c->want[at]);
    double bound = c->bound ? c->bound[at] : 0.0;
    if (error == 0.0)
        return 0.0;
    bool comparable = error < INFINITY && bound > 0.0 && bound < INFINITY;
    return comparable ? error / bound : INFINITY; // NaN is not comparable
}

static void compare_rows(void *context, int begin, int end)
{
    comparison *c = context;
    verdict part = {0};
    for (int i = begin; i < end; i++) {
        for (int j = 0; j < c->cols; j++) {
            double r = ratio(c, i, j);
            part.wrong += !(r <= 1.0);
            part.error_of_bound = fmax(part.error_of_bound, r);
        }
    }
    pthread_mutex_lock(&c->lock);
    c->v->wrong += part.wrong;
    c->v->error_of_bound = fmax(c->v->error_of_bound, part.error_of_bound);
    pthread_mutex_unlock(&c->lock);
}

/** What an element means that still has the bits C was filled with. */
#define UNWRITTEN " (never written, or C read before it was written)"

/** Print one wrong element, and what it probably is. */
static void show(const comparison *c, const char *name, int row, int i, int j)
{
    float got = c->got[(int64_t)i * c->ld + j];
    int64_t at = (int64_t)i * c->cols + j;
    uint32_t bits;
    memcpy(&bits, &got, sizeof(bits));
    fprintf(stderr, "  %s[%d][%d]: got %.9g%s, want %.9g", name, row + i, j,
            got, bits == UINT32_MAX ? UNWRITTEN : "", c->want[at]);
    if (c->bound)
        fprintf(stderr, " within %.2g", c->bound[at]);
    fputc('\n', stderr);
}

void verify_elements(verdict *v, const char *name, int first_row,
                     const float *got, const double *want, const double *bound,
                     int rows, int cols, int ld)
{
    comparison c = {got, want, bound, cols, ld, v, PTHREAD_MUTEX_INITIALIZER};
    long long shown = v->wrong;
    parallel_rows(rows, compare_rows, &c);

    if (v->wrong == shown)
        return; // the usual case: nothing to look for once more
    for (int i = 0; i < rows && shown < SHOWN; i++) {
        for (int j = 0; j < cols && shown < SHOWN; j++) {
            if (ratio(&c, i, j) <= 1.0)
                continue;
            show(&c, name, first_row, i, j);
            shown++;
        }
    }
}

void verify_padding(verdict *v, const char *name, int first_row,
                    const float *got, int rows, int cols, int ld)
{
    const uint32_t word = GUARD_WORD;
    for (int i = 0; i < rows; i++) {
        for (int j = cols; j < ld; j++) {
            if (memcmp(got + (int64_t)i * ld + j, &word, sizeof(word)) == 0)
                continue;
            if (v->wrong++ < SHOWN)
                fprintf(stderr,
                        "  %s[%d][%d]: written, but %s has only %d columns\n",
                        name, first_row + i, j, name, cols);
            v->error_of_bound = INFINITY;
        }
    }
}
