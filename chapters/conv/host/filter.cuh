/**
 * @file filter.cuh
 * @brief The filters of the chapter conv, all of any radius up to 7.
 */

#define MOST_RADIUS 7
#define MOST_SIDE (2 * MOST_RADIUS + 1)
#define FILTERS "gaussian|box|sobel|sharpen|random"

typedef enum { GAUSSIAN, BOX, SOBEL, SHARPEN, RANDOM } filter_kind;

/** Weights, and what they are the product of, if they are. */
typedef struct {
    float at[MOST_SIDE * MOST_SIDE]; /**< [side x side], row after row */
    float down[MOST_SIDE];           /**< at[i][j] = down[i] * across[j] */
    float across[MOST_SIDE];         /**< for filters that separate */
} filter_weights;

/** Is it the product of a column and a row? */
static bool filter_separates(int kind)
{
    return kind == GAUSSIAN || kind == BOX || kind == SOBEL;
}

/** Row @p n of Pascal's triangle, divided by its sum 2^n: a bell. */
static void binomial(int n, double *row)
{
    row[0] = ldexp(1, -n);
    for (int i = 1; i <= n; i++)
        row[i] = row[i - 1] * (n - i + 1) / i;
}

/**
 * The difference of a bell and its neighbour: how steep it is. Radius 1 gives
 * the classic -1 0 1.
 */
static void slope(int radius, double *row)
{
    double bell[MOST_SIDE] = {0};
    binomial(2 * radius - 2, bell);
    for (int i = 0; i <= 2 * radius; i++)
        row[i] =
            (i >= 2 ? bell[i - 2] : 0) - (i <= 2 * radius - 2 ? bell[i] : 0);
}

/** Both factors of a filter that separates. */
static void make_factors(filter_weights *f, int kind, int radius)
{
    double down[MOST_SIDE], across[MOST_SIDE];
    int side = 2 * radius + 1;
    binomial(2 * radius, down);
    binomial(2 * radius, across);
    if (kind == SOBEL)
        slope(radius, across);
    for (int i = 0; i < side; i++) {
        f->down[i] = kind == BOX     ? 1.0f / side
                     : kind == SOBEL ? (float)(4 * down[i]) // 1 2 1
                                     : (float)down[i];
        f->across[i] = kind == BOX ? 1.0f / side : (float)across[i];
    }
}

/** at[i][j] = down[i] * across[j], rounded where it must be. */
static void multiply_factors(filter_weights *f, int radius)
{
    int side = 2 * radius + 1;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            f->at[i * side + j] = f->down[i] * f->across[j];
}

/** @p count numbers of fill_random(). */
static void fill_numbers(float *numbers, int count, bool integers, int most,
                         uint64_t seed)
{
    array a = {.role = ARRAY_IN, .type = ELEMENT_FLOAT32, .host = numbers};
    array_1d(&a, count);
    if (integers)
        fill_integers(&a, -most, most, seed);
    else
        fill_random(&a, seed);
}

/** The weights that --filter asks for. */
static void filter_make(filter_weights *f, int kind, int radius, uint64_t seed)
{
    int side = 2 * radius + 1, middle = side * side / 2;
    memset(f, 0, sizeof(*f));
    if (kind == RANDOM) {
        fill_numbers(f->at, side * side, false, 0, seed + 7);
        return;
    }
    make_factors(f, kind, radius);
    multiply_factors(f, radius);
    if (kind != SHARPEN)
        return;
    // Twice the picture, less the blurred one.
    for (int i = 0; i < side * side; i++)
        f->at[i] = (i == middle ? 2.0f : 0.0f) - f->at[i];
}

/**
 * Small integers in the weights' place, so that sums are exact: 15 x 15
 * products of at most 8 (or 3 x 3) and 2047 stay below 2^24.
 */
static void filter_integers(filter_weights *f, int kind, int radius,
                            uint64_t seed)
{
    int side = 2 * radius + 1;
    memset(f, 0, sizeof(*f));
    if (!filter_separates(kind)) {
        fill_numbers(f->at, side * side, true, 8, seed + 7);
        return;
    }
    fill_numbers(f->down, side, true, 3, seed + 8);
    fill_numbers(f->across, side, true, 3, seed + 9);
    multiply_factors(f, radius);
}
