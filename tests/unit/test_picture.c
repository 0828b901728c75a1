/**
 * @file test_picture.c
 * @brief Picture files without libpng. With it: tests/conv.bats, stencil.bats.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "picture.h"

/** In a folder of its own, which each test leaves empty. */
static int enter_folder(void **state)
{
    static char folder[] = "/tmp/picture.XXXXXX";
    *state = mkdtemp(folder);
    return !*state || chdir(*state) != 0;
}

static int leave_folder(void **state)
{
    return chdir("/") != 0 || rmdir(*state) != 0; // it must be empty
}

static void put(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/** The file holds these bytes and no more; then it is removed. */
static void take(const char *path, const char *bytes, size_t count)
{
    char there[64];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(there, 1, sizeof(there), file), count);
    assert_memory_equal(there, bytes, count);
    fclose(file);
    remove(path);
}

static void grey_and_colour_come_back(void **state)
{
    uint8_t samples[6] = {0, 255, 10, '#', '\n', 128};
    picture grey = {3, 2, 1, samples}, colour = {1, 2, 3, samples};
    picture_write("--out", "a.pgm", &grey);
    picture_write("--out", "a.ppm", &colour);
    picture a = picture_read("--image", "a.pgm");
    picture b = picture_read("--image", "a.ppm");
    assert_true(a.width == 3 && a.height == 2 && a.channels == 1);
    assert_true(b.width == 1 && b.height == 2 && b.channels == 3);
    assert_memory_equal(a.samples, samples, 6);
    assert_memory_equal(b.samples, samples, 6);
    free(a.samples);
    free(b.samples);
    take("a.pgm", "P5\n3 2\n255\n\0\xff\n#\n\x80", 17);
    take("a.ppm", "P6\n1 2\n255\n\0\xff\n#\n\x80", 17);
}

static void what_stands_behind_the_samples_is_left_alone(void **state)
{
    put("a", "P5 # a comment\n2\n1 255\nxyz", 26);
    picture p = picture_read("--image", "a");
    assert_true(p.width == 2 && p.height == 1 && p.channels == 1);
    assert_memory_equal(p.samples, "xy", 2);
    free(p.samples);
    remove("a");
}

/* ---- refused: one line, status 2, nothing left --------------------------- */

static int read_body(void *path)
{
    picture_read("--image", path);
    return 0;
}

static int require_body(void *path)
{
    picture_require("--out", path, 4, 3, 1);
    return 0;
}

static void png_needs_libpng(void **state)
{
    put("a", "\x89PNG\r\n\x1a\n and so on", 18);
    child c = run_child(read_body, "a");
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    assert_string_equal(c.err, "--image a: PNG needs libpng, which make setup "
                               "installs for this chapter; allowed are PGM or "
                               "PPM\n");
    has(run_child(require_body, "b.png").err, "--out b.png: PNG needs libpng");
    remove("a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grey_and_colour_come_back),
        cmocka_unit_test(what_stands_behind_the_samples_is_left_alone),
        cmocka_unit_test(png_needs_libpng),
    };
    return cmocka_run_group_tests_name("picture", tests, enter_folder,
                                       leave_folder);
}
