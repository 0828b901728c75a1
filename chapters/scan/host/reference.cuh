/**
 * @file reference.cuh
 * @brief The inputs of the chapter, and what their scan should be.
 */

#define CHUNK 65536 /**< elements from one entry of `before` to the next */

/** What the reference remembers of the elements before one of them. */
typedef struct {
    double result;    /**< their sum or maximum */
    double magnitude; /**< the sum of their magnitudes */
} prefix;

/** What the reference knows of the elements before each chunk. */
static prefix *before;

static double host_combine(const scan *s, double a, double b)
{
    return s->op == SUM ? a + b : fmax(a, b);
}

static prefix host_identity(const scan *s)
{
    return (prefix){s->op == SUM ? 0.0 : -INFINITY, 0.0};
}

/** @p p and element x[i]. */
static prefix host_next(const scan *s, prefix p, int64_t i)
{
    return (prefix){host_combine(s, p.result, s->x[i]),
                    p.magnitude + fabs((double)s->x[i])};
}

/** Chunks [begin, end), each by itself: chunk c goes to before[c + 1]. */
static void reduce_chunks(void *context, int64_t begin, int64_t end)
{
    const scan *s = (const scan *)context;
    for (int64_t c = begin; c < end; c++) {
        prefix p = host_identity(s);
        for (int64_t i = c * CHUNK; i < (c + 1) * CHUNK && i < s->n; i++)
            p = host_next(s, p, i);
        before[c + 1] = p;
    }
}

/** Set `before`: one scan over chunks saves want() to begin at x[0]. */
static void set_reference(void *problem, const array *arrays)
{
    scan host = *(const scan *)problem;
    const scan *s = &host;
    int64_t chunks = quotient_up(s->n, CHUNK);
    host.x = (const float *)arrays[X].host;
    free(before);
    before = (prefix *)host_alloc((size_t)(chunks + 1) * sizeof(prefix));
    before[0] = host_identity(s);
    parallel_for(chunks, reduce_chunks, &host);
    for (int64_t c = 1; c <= chunks; c++) {
        before[c].result =
            host_combine(s, before[c - 1].result, before[c].result);
        before[c].magnitude += before[c - 1].magnitude;
    }
}

/**
 * Have the maximum grow all the way up to two mountains, the second one higher.
 *
 * After a top it stays for thousands of elements what it was: who forgets what
 * came long before is wrong. All values are negative: 0 is no identity.
 */
static void make_mountains(const scan *s, float *x)
{
    for (int64_t i = 0; i < s->n; i++) {
        double way = 2.0 * (double)i / (double)s->n; // 0 to 2, a top each
        double slope = 1.0 - fabs(2.0 * (way - floor(way)) - 1.0);
        x[i] = (float)(slope + way / 2 - 4.0 + x[i] / 8);
    }
}

/** Case 0 is exact for both operations, case 1 for maxima. */
static const char *fill(void *problem, array *arrays, int number, uint64_t seed)
{
    const scan *s = (const scan *)problem;
    float *x = (float *)arrays[X].host;
    if (number == 0 && s->op == SUM)
        fill_sum(&arrays[X], seed);
    else
        fill_random(&arrays[X], seed);
    if (number == 0 && s->op == MAX)
        make_mountains(s, x);
    return number == 1 ? "random data" : "exact data";
}

/**
 * Inf in the first tile of sums, so that two follow; behind it, where they are
 * exclusive, NaN in the second. Maxima begin with -Inf, have Inf in the middle
 * and NaN among the numbers. x[0] is none: the maximum of NaN alone is none.
 */
static void plant_no_numbers(const scan *s, float *x)
{
    for (int64_t i = 0; i < s->n && s->op == MAX; i++)
        if (i < 2000 || i % 7 == 3)
            x[i] = i % 7 == 3 ? NAN : -INFINITY;
    x[s->op == SUM ? s->n / 5 : s->n / 2] = INFINITY;
    if (s->op == SUM && s->kind == EXCLUSIVE)
        x[s->n * 3 / 4] = NAN;
}

/** Or all is denormal, and sums of whole numbers are as exact as before. */
static const char *plant(void *problem, array *arrays, int round)
{
    const scan *s = (const scan *)problem;
    float *x = (float *)arrays[X].host;
    if (round == 1) {
        plant_no_numbers(s, x);
        return ", NaN and Inf";
    }
    for (int64_t i = 0; i < s->n; i++)
        x[i] *= s->op == SUM ? 0x1p-149f : 0x1p-126f;
    return ", denormal";
}

/**
 * The reference, in float64, and the bound for sums of random data.
 *
 * A sum is off by at most gamma_h times the sum of the magnitudes, if no
 * element goes through more than h additions (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, section 4.2). The longest way is that of the
 * first element in variants 1 and 2: from section to section it is part of the
 * carry, and goes through the log2(1024) = 10 rounds of each.
 */
static void want(const void *problem, const array *, const band *b,
                 double *want, double *bound)
{
    const scan *s = (const scan *)problem;
    int64_t i = b->col / CHUNK * CHUNK;
    prefix p = before[b->col / CHUNK];
    for (; i < b->col; i++)
        p = host_next(s, p, i);
    for (int64_t k = 0; k < b->cols; k++, i++) {
        prefix with = host_next(s, p, i);
        prefix chosen = s->kind == INCLUSIVE ? with : p;
        want[k] = chosen.result;
        bound[k] =
            verify_gamma(10.0 * (double)(i / BLOCK) + 64) * chosen.magnitude;
        p = with;
    }
}
