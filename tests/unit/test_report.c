/**
 * @file test_report.c
 * @brief The block and the JSON record, for runs of every kind.
 *
 * With a file name as its argument it appends its records to that file, for
 * the test of the schema.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const device_info h200 = {
    .name = "NVIDIA H200",
    .compute_capability = 90,
    .sm_count = 132,
    .driver = "580.159.04",
    .toolkit = 12080,
    .sm_mhz = 1980,
    .memory_mhz = 3201,
    .l2_bytes = 60 << 20,
    .peak_gbs = 4814.3,
    .peak_gflops = 66908.2,
};
static const device_info simulator = {.simulator = true, .name = "simulator"};

static const counter counters[] = {
    {"global_load_requests", 1048576},
    {"global_load_sectors_per_request", 16.5},
    {"shared_load_requests", 0},
    {"barriers", 0},
};

static report_entry gpu_entry(void)
{
    return (report_entry){
        .chapter = "gemm_02_coalesced",
        .size = "M=16384 N=16384 K=16384, alpha=-1.25 beta=0.0625, "
                "row pitch 16384",
        .size_json = "{\"M\":16384,\"N\":16384,\"K\":16384}",
        .verified = true,
        .error_of_bound = 0.03125,
        .check = "every element: grid data equal, random data at 0.031 of the "
                 "bound",
        .launch = {.kernel = "gemm_kernel",
                   .grid = {512, 512, 1},
                   .block = {32, 32, 1},
                   .registers = 32,
                   .shared = 8192,
                   .blocks_per_sm = 2,
                   .occupancy = 1.0},
        .time = {22.0f, 22.125f, 22.5f, 20, 1, true, 0},
        .flop = 2.0 * 4096 * 4096 * 4096,
        .bytes = 3.0 * 4 * 4096 * 4096,
        .baseline_name = "cuBLAS",
        .baseline = {2.6f, 2.6875f, 2.7f, 20, 1, true, 0},
    };
}

static report_entry simulator_entry(void)
{
    report_entry e = gpu_entry();
    e.time = (timing){0};
    e.baseline = (timing){0};
    e.baseline_name = NULL;
    e.default_size = "default size 256 in the simulator; --M changes it";
    e.counters = counters;
    e.counter_count = sizeof(counters) / sizeof(counters[0]);
    return e;
}

static char *block(const report_entry *e, const device_info *d)
{
    static char text[8192];
    FILE *out = fmemopen(text, sizeof(text), "w");
    report_block(out, e, d);
    fclose(out);
    return text;
}

static char *json(const report_entry *e, const device_info *d)
{
    static char text[8192];
    run_options run = {.command = "gemm \"quoted\\path\" \t --M 3"};
    FILE *out = fmemopen(text, sizeof(text), "w");
    report_json(out, e, d, &run);
    fclose(out);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("missing: %s\nin: %s", part, text);
}

static void has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("should not be there: %s\nin: %s", part, text);
}

/** At most 80 columns, no control characters. */
static void plain(char *text)
{
    for (const char *c = text; *c; c++)
        assert_true((*c >= ' ' && *c < 127) || *c == '\n');
    for (char *l = strtok(text, "\n"); l; l = strtok(NULL, "\n")) {
        if (strlen(l) > 80)
            fail_msg("%zu columns: %s", strlen(l), l);
    }
}

static void gpu_block(void **state)
{
    (void)state;
    report_entry e = gpu_entry();
    char *text = block(&e, &h200);
    has(text, "gemm_02_coalesced on NVIDIA H200, 132 SMs, sm_90");
    has(text, "verified   every element");
    has(text, "grid 512 x 512, block 32 x 32, 8192 bytes of shared memory");
    has(text, "32 registers; 2 blocks on an SM, occupancy 100 %");
    has(text, "time       22.125 ms (22.000 - 22.500), 20 samples, L2 cold");
    has(text, "6.212 TFLOP/s");
    has(text, "cuBLAS     2.688 ms (2.600 - 2.700)");
    has(text, "0.121 of its speed");
    has(text, "2.0541 ms = 137.4 GFLOP / 66.9 TFLOP/s");
    has(text, "0.0418 ms = 0.2013 GB / 4.81 TB/s");
    has(text, "reached 0.093");
    plain(text);

    e.time.batch = 512;
    e.time.cold = false;
    e.baseline_note = "it is not installed";
    e.baseline.repeats = 0;
    text = block(&e, &h200);
    has(text, "20 samples of 512 launches, L2 warm");
    has(text, "cuBLAS     not timed: it is not installed");
    plain(text);
}

static void simulator_block(void **state)
{
    (void)state;
    report_entry e = simulator_entry();
    char *text = block(&e, &simulator);
    has(text, "gemm_02_coalesced in the simulator");
    has(text, "global_load_requests                        1,048,576");
    has(text, "16.500");
    has(text, "barriers");
    has(text, "default size 256");
    has_not(text, "shared_load_requests");
    has_not(text, " ms");
    has_not(text, "registers");
    plain(text);

    e.counter_count = 0;
    text = block(&e, &simulator);
    has(text, "plain mode");
    plain(text);
}

/** A wrong result has no rates, whatever was timed. */
static void wrong_block(void **state)
{
    (void)state;
    report_entry e = gpu_entry();
    e.verified = false;
    char *text = block(&e, &h200);
    has(text, "WRONG");
    has_not(text, "FLOP/s");
    has_not(text, " ms");
    has_not(text, "verified");
    plain(text);
}

static void json_records(void **state)
{
    const char *file = **(const char ***)state;
    report_entry e = gpu_entry();
    char all[4][8192];
    strcpy(all[0], json(&e, &h200));
    has(all[0], "\"schema\":1,\"chapter\":\"gemm_02_coalesced\"");
    has(all[0], "\"variant\":null,\"backend\":\"gpu\"");
    has(all[0], "\"driver\":\"580.159.04\",\"toolkit\":\"12.8\"");
    has(all[0], "\"clocks_mhz\":{\"sm\":1980,\"memory\":3201}");
    has(all[0], "gemm \\\"quoted\\\\path\\\" \\u0009 --M 3");
    has(all[0], "\"verified\":true,\"error_of_bound\":0.03125");
    has(all[0], "\"median\":22.125,");
    has(all[0], "\"l2\":\"cold\"");
    has(all[0], "\"gflops\":6211.");
    has(all[0], "\"baseline\":{\"name\":\"cuBLAS\",\"time_ms\":2.6875,");
    has(all[0], "\"limit\":{\"name\":\"fp32\",\"ratio\":0.0928");
    has(all[0], "\"counts\":{},\"findings\":[]}\n");

    e.verified = false;
    e.error_of_bound = INFINITY;
    strcpy(all[1], json(&e, &h200));
    has(all[1], "\"verified\":false,\"error_of_bound\":null");
    has(all[1], "\"time_ms\":null,\"gflops\":null,\"gbytes_per_s\":null,"
                "\"baseline\":null,\"limit\":null");

    e = simulator_entry();
    strcpy(all[2], json(&e, &simulator));
    has(all[2], "\"backend\":\"simulator\",\"device\":null,\"driver\":null");
    has(all[2], "\"clocks_mhz\":null");
    has(all[2], "\"time_ms\":null,\"gflops\":null");
    has(all[2], "\"registers\":null");
    has(all[2], "\"global_load_sectors_per_request\":16.5");

    e = gpu_entry(); // memory bound, no operations, no library
    e.flop = 0;
    e.bytes = 1e12;
    e.baseline.repeats = 0;
    e.launch.kernel[0] = '\0';
    strcpy(all[3], json(&e, &h200));
    has(all[3], "\"gflops\":null");
    has(all[3], "\"limit\":{\"name\":\"dram\"");
    has(all[3], "\"baseline\":null");
    has(all[3], "\"launch\":null");

    FILE *out = file ? fopen(file, "a") : NULL;
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(strchr(all[i], '\n'), all[i] + strlen(all[i]) - 1);
        if (out)
            fputs(all[i], out);
    }
    if (out)
        fclose(out);
}

int main(int argc, char **argv)
{
    static const char *file;
    file = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_block),
        cmocka_unit_test(simulator_block),
        cmocka_unit_test(wrong_block),
        cmocka_unit_test_prestate(json_records, &file),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
