/**
 * @file test_picture.c
 * @brief Picture files without libpng. With it: tests/conv.bats, stencil.bats.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "options.h"
#include "picture.h"

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
    char name[] = "/tmp/unit_XXXXXX";
    int file = mkstemp(name);
    assert_int_equal(write(file, "\x89PNG\r\n\x1a\n and so on", 18), 18);
    close(file);
    child c = run_child(read_body, name);
    remove(name);
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    has(c.err, ": PNG needs libpng, which make setup installs for this "
               "chapter; allowed are PGM or PPM\n");
    c = run_child(require_body, "b.png");
    assert_int_equal(c.status, EXIT_ARGUMENTS);
    has(c.err, "--out b.png: PNG needs libpng");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(png_needs_libpng)};
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
