/**
 * @file inputs.cuh
 * @brief The inputs of the chapter, and how often each value occurs in them.
 */

#include "text.cuh" // text[]

/** Bytes that are repeated until there are n. */
typedef struct {
    const uint8_t *bytes;
    size_t count; /**< 1 or more */
} pattern;

/** All of --file, or a refusal; a regular file is one whose size is known. */
static pattern read_file(void)
{
    struct stat about;
    FILE *in = fopen(file, "rb");
    REQUIRE(in && fstat(fileno(in), &about) == 0, "--file %s: %s", file,
            strerror(errno));
    REQUIRE(S_ISREG(about.st_mode),
            "--file %s: not a regular file; allowed are files of 1 to %lld "
            "bytes",
            file, (long long)MOST);
    REQUIRE(about.st_size >= 1 && about.st_size <= MOST,
            "--file %s: %lld bytes; allowed are files of 1 to %lld bytes", file,
            (long long)about.st_size, (long long)MOST);
    size_t count = (size_t)about.st_size;
    uint8_t *bytes = (uint8_t *)host_alloc(count);
    size_t got = fread(bytes, 1, count, in);
    REQUIRE(got == count, "--file %s: only %zu of its %zu bytes can be read",
            file, got, count);
    fclose(in);
    return (pattern){bytes, count};
}

/** The file, read once, or the text that comes with the chapter. */
static pattern to_repeat(void)
{
    static pattern whole;
    if (!file)
        return (pattern){(const uint8_t *)text, sizeof(text) - 1};
    if (!whole.count)
        whole = read_file();
    return whole;
}

/** What the command line leaves open; refuse what contradicts itself. */
static void complete(histogram *h)
{
    if (h->input < 0)
        h->input = file ? FROM_FILE : device_simulated() ? TEXT : UNIFORM;
    REQUIRE(file || h->input != FROM_FILE,
            "--input file: --file must say which");
    REQUIRE(!file || h->input == FROM_FILE,
            "--file %s: only with --input file, or without --input", file);
    if (h->n < 0 && file)
        h->n = (int64_t)to_repeat().count;
    if (h->n < 0)
        h->n = device_simulated() ? 1 << 20 : 1 << 28;
}

static void shape(void *sizes, array *arrays)
{
    histogram *h = (histogram *)sizes;
    if (h == &problem)
        complete(h);
    array_1d(&arrays[X], h->n);
    array_1d(&arrays[COPIES],
             (int64_t)device_blocks(h->n, BLOCK) * bin_count(h));
    array_1d(&arrays[COUNTS], bin_count(h));
}

static void repeat(uint8_t *x, size_t n, pattern p)
{
    for (size_t i = 0; i < n; i += p.count)
        memcpy(x + i, p.bytes, n - i < p.count ? n - i : p.count);
}

/**
 * Letters, drawn one by one: of a uniform byte v letter 26 (v / 256)^2. The
 * first ones are the most frequent: a in 51 of 256, z in 5.
 */
static void skew(uint8_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (uint8_t)('a' + 26 * x[i] * x[i] / 65536);
}

/** Runs of 20 to 119 equal bytes: of two random bytes, value and length. */
static void lengthen(uint8_t *x, int64_t n)
{
    for (int64_t i = 0; i + 1 < n;) {
        int64_t length = 20 + x[i + 1] % 100;
        if (length > n - i)
            length = n - i;
        memset(x + i, x[i], (size_t)length);
        i += length;
    }
}

/** The bin of a byte on the host; bin_count() if it has none. */
static int host_bin(const histogram *h, int byte)
{
    if (h->bins == BYTES)
        return byte;
    return byte < 'a' || byte > 'z' ? LETTER_BINS : (byte - 'a') / 4;
}

/** Count on the host: one loop, one thread, nothing that can race. */
static void set_reference(void *problem, const array *arrays)
{
    histogram *h = (histogram *)problem;
    const uint8_t *x = (const uint8_t *)arrays[X].host;
    memset(h->want, 0, sizeof(h->want));
    for (int64_t i = 0; i < h->n; i++) {
        int bin = host_bin(h, x[i]);
        if (bin < bin_count(h))
            h->want[bin]++;
    }
}

static const char *fill(void *problem, array *arrays, int, uint64_t seed)
{
    static const char *const names[] = {"text",      "uniform bytes",
                                        "one value", "skewed letters",
                                        "runs",      "the file"};
    histogram *h = (histogram *)problem;
    uint8_t *x = (uint8_t *)arrays[X].host;
    if (h->input == UNIFORM || h->input == SKEWED || h->input == RUNS)
        fill_random(&arrays[X], seed);
    if (h->input == SKEWED)
        skew(x, h->n);
    if (h->input == RUNS)
        lengthen(x, h->n);
    if (h->input == CONSTANT)
        memset(x, 'e', (size_t)h->n);
    if (h->input == TEXT || h->input == FROM_FILE)
        repeat(x, (size_t)h->n, to_repeat());
    return names[h->input];
}

static void want(const void *problem, const array *, const band *b,
                 double *want, double *)
{
    for (int64_t i = 0; i < b->cols; i++)
        want[i] = ((const histogram *)problem)->want[b->col + i];
}
