/**
 * @file test_report.c
 * @brief The block, the table and the JSON record of runs on a GPU; what the
 *        simulator reports is in the lessons.
 *
 * With a file name as its argument it appends its records to that file, for
 * the test of the schema.
 */
#include "unit.h"

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
static outcome variants[3];
static outcome libraries[2];

static const launch_info launch = {.kernel = "gemm_kernel",
                                   .times = 1,
                                   .grid = {512, 512, 1},
                                   .block = {32, 32, 1},
                                   .registers = 32,
                                   .shared = 8192,
                                   .blocks_per_sm = 2,
                                   .occupancy = 1.0};

/** A chapter with one kernel, beside cuBLAS. */
static report_data gpu_report(void)
{
    variants[0] = (outcome){.verified = true,
                            .error_of_bound = 0.03125,
                            .launches = {launch},
                            .launch_count = 1,
                            .time = {22.0f, 22.125f, 22.5f, 20, 1, true}};
    libraries[0] = (outcome){.name = "cuBLAS",
                             .verified = true,
                             .time = {2.6f, 2.6875f, 2.7f, 20, 1, true}};
    return (report_data){
        .chapter = "gemm_02_coalesced",
        .size = "M=16384 N=16384 K=16384, alpha=-1.25 beta=0.0625",
        .pitches = "row pitch 16384 16384 16384",
        .size_json = "{\"M\":16384,\"N\":16384,\"K\":16384}",
        .small = "M=131 N=134 K=21, row pitch 24 136 140",
        .check = "every element: exact data equal, random data at 0.031 of the "
                 "bound",
        .flop = 2.0 * 4096 * 4096 * 4096,
        .bytes = 3.0 * 4 * 4096 * 4096,
        .variants = variants,
        .variant_count = 1,
        .baselines = libraries,
        .baseline_count = 1,
    };
}

/** Three variants, the second one of two launches, beside two libraries. */
static report_data make_table(void)
{
    report_data r = gpu_report();
    variants[1] = variants[2] = variants[0];
    variants[0].name = "plain";
    variants[1].name = "work_efficient";
    variants[1].launch_count = 2;
    variants[1].launches[1] = launch;
    variants[1].launches[1].kernel = "a_kernel_with_quite_a_long_name<float>";
    variants[1].launches[1].times = 7;
    variants[1].time.median_ms /= 2;
    variants[2].name = "last";
    variants[2].time.median_ms /= 16;
    libraries[1] = (outcome){
        .name = "NPP", .verified = true, .note = "it is not installed"};
    r.variant_count = 3;
    r.check = "all 3 variants: equal";
    r.baseline_count = 2;
    return r;
}

static char *text_of(const report_data *r)
{
    static char text[8192];
    FILE *out = fmemopen(text, sizeof(text), "w");
    report_text(out, r, &h200);
    fclose(out);
    return text;
}

/** Record @p i, which is one line; it is kept for the test of the schema. */
static char *json(const report_data *r, int i)
{
    static char text[8192];
    run_options run = {.command = "gemm \"quoted\\path\" \t --M 3"};
    FILE *out = fmemopen(text, sizeof(text), "w");
    report_json(out, r, i, &h200, &run);
    fclose(out);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    if (records) {
        out = fopen(records, "a");
        fputs(text, out);
        fclose(out);
    }
    return text;
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

TEST(gpu_block)
{
    report_data r = gpu_report();
    char *text = text_of(&r);
    HAS(text, "gemm_02_coalesced on NVIDIA H200, 132 SMs, sm_90",
        "  size       M=16384 N=16384 K=16384, alpha=-1.25 beta=0.0625,\n"
        "             row pitch 16384 16384 16384\n",
        "and before that with M=131 N=134 K=21, row pitch 24 136 140\n",
        "\n  make chapter=gemm_02_coalesced check tries the other sizes\n",
        "grid 512 x 512, block 32 x 32, 8192 bytes of shared memory",
        "32 registers; 2 blocks on an SM, occupancy 100 %",
        "time       22.125 ms (22.000 - 22.500), 20 samples, L2 cold",
        "6.212 TFLOP/s", "cuBLAS     2.688 ms (2.600 - 2.700)",
        "0.121 of its speed", "2.0541 ms = 137.4 GFLOP / 66.9 TFLOP/s",
        "0.0418 ms = 0.2013 GB / 4.81 TB/s", "reached 0.093");
    plain(text);
}

TEST(gpu_table)
{
    report_data r = make_table();
    char *text = text_of(&r);
    HAS(text, "gemm_02_coalesced on NVIDIA H200", "all 3 variants",
        "variant             time (ms)              rate    step  of "
        "cuBLAS    of limit\n",
        "plain                  22.125     6.212 TFLOP/s              "
        "0.121      0.0928\n",
        "work_efficient         11.062     12.42 TFLOP/s   2.00x      "
        "0.243       0.186\n",
        "last                    1.383     99.39 TFLOP/s   8.00x",
        "cuBLAS                  2.688",
        "samples    plain: 20 samples, L2 cold",
        "limits     2.0541 ms = 137.4 GFLOP / 66.9 TFLOP/s (float32)\n",
        "a_kernel_with_quite_a_long     7       512 x 512");
    plain(text);
}

/** Where moving the bytes was timed, the limit is that. */
TEST(measured_limit)
{
    report_data r = make_table();
    libraries[1] = libraries[0];
    libraries[1].name = "read";
    libraries[1].floor = true;
    libraries[1].time.median_ms = 5.53125f;
    char *text = text_of(&r);
    HAS(text, "of cuBLAS     of read\n",
        "work_efficient         11.062     12.42 TFLOP/s   2.00x      "
        "0.243         0.5\n",
        "  read                    5.531         36.4 GB/s");
    plain(text);
    text = json(&r, 1);
    HAS(text, "\"baseline\":{\"name\":\"cuBLAS\"",
        "\"limit\":{\"name\":\"read\",\"ratio\":0.5}");
    libraries[1].time.median_ms = 0.5; // arithmetic takes longer: 2.0541 ms
    text = text_of(&r);
    has(text, "of cuBLAS     of fp32\n");
    plain(text);
    text = json(&r, 1);
    has(text, "\"limit\":{\"name\":\"fp32\",\"ratio\":0.1856");
    libraries[1].time.median_ms = 5.53125f;
    libraries[0].time.repeats = 0; // it is no library to compare with
    text = json(&r, 1);
    has(text, "\"baseline\":null,\"limit\":{\"name\":\"read\"");
}

TEST(json_records)
{
    report_data r = gpu_report();
    char *text = json(&r, 0);
    HAS(text, "\"schema\":2,\"chapter\":\"gemm_02_coalesced\"",
        "\"variant\":null,\"backend\":\"gpu\"",
        "\"driver\":\"580.159.04\",\"toolkit\":\"12.8\"",
        "\"clocks_mhz\":{\"sm\":1980,\"memory\":3201},\"sms\":132",
        "gemm \\\"quoted\\\\path\\\" \\u0009 --M 3",
        "\"verified\":true,\"error_of_bound\":0.03125", "\"median\":22.125,",
        "\"l2\":\"cold\"", "\"gflops\":6211.",
        "\"baseline\":{\"name\":\"cuBLAS\",\"time_ms\":2.6875,",
        "\"limit\":{\"name\":\"fp32\",\"ratio\":0.0928",
        "\"counts\":{},\"findings\":[]}\n");

    r = gpu_report(); // memory bound, no operations, no library
    r.flop = 0;
    r.bytes = 1e12;
    libraries[0].time.repeats = 0;
    variants[0].launch_count = 0;
    text = json(&r, 0);
    HAS(text, "\"gflops\":null", "\"limit\":{\"name\":\"dram\"",
        "\"baseline\":null", "\"launch\":null,\"launches\":[]");

    r = gpu_report(); // what float32 could do is no limit of tensor cores
    r.tensor_cores = true;
    has(json(&r, 0), "\"gflops\":6211.");
    has(json(&r, 0), "\"limit\":{\"name\":\"dram\"");
    has(text_of(&r), "\n  limits     0.0418 ms = 0.2013 GB");
    assert_null(strstr(text_of(&r), "float32"));

    r = make_table();
    text = json(&r, 1);
    HAS(text, "\"variant\":\"work_efficient\"",
        "\"launches\":[{\"kernel\":\"gemm_kernel\",\"times\":1,",
        "name<float>\",\"times\":7,\"grid\":[512,512,1]");
}
