/**
 * @file settings.c
 * @brief The switches: SIM_REPORT and its relatives.
 */
#include <unistd.h>

#include "inside.h"

#define MAX_WORKERS 256 /**< more would not help */

sim_switches sim_settings = {
    .threads = 1, .timeout = 60.0, .checks = true, .search = true};

/** A whole number from the environment. */
static long read_number(const char *name, long otherwise, long low, long high)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < low || value > high) {
        fprintf(stderr, "%s=%s: a whole number from %ld to %ld is expected\n",
                name, text, low, high);
        exit(STATUS_USAGE);
    }
    return value;
}

/** The name of a file from the environment; NULL: none. */
static const char *read_file(const char *name)
{
    const char *path = getenv(name);
    return path && *path ? path : NULL;
}

static bool asked; /* somebody wants to know all counters */

void sim_settings_ask(void)
{
    asked = true;
}

/** SIM_COUNT: all or first; without it, all if somebody asks for counters. */
static bool read_count(void)
{
    const char *text = getenv("SIM_COUNT");
    if (!text || !*text)
        return asked || sim_settings.report || sim_settings.trace;
    if (strcmp(text, "all") && strcmp(text, "first")) {
        fprintf(stderr, "SIM_COUNT=%s: all or first is expected\n", text);
        exit(STATUS_USAGE);
    }
    return !strcmp(text, "all");
}

/** SIM_ORDER: a number, and whose order alone it is: 7, 7:warps; or who goes
 *  before all others: warp:7. */
static void read_order(void)
{
    static const char *const names[] = {":blocks", ":warps", ":lanes"};
    const char *text = getenv("SIM_ORDER"),
               *number = text && *text ? text : "0";
    unsigned whose = GO_BLOCKS | GO_WARPS | GO_LANES;
    bool one_first = false;
    for (unsigned i = 0; i < 3; i++) {
        size_t length = strlen(names[i]) - 2; /* of "block" */
        if (!strncmp(number, names[i] + 1, length) && number[length] == ':') {
            whose = 1u << i;
            one_first = true;
            number += length + 1;
        }
    }
    char *end;
    long order = strtol(number, &end, 10);
    bool good = end > number && order >= 0 && order <= 1000000;
    for (unsigned i = 0; i < 3 && !one_first; i++)
        if (!strcmp(end, names[i])) {
            whose = 1u << i;
            end = "";
        }
    if (*end || !good) {
        fprintf(stderr,
                "SIM_ORDER=%s: a whole number from 0 to 1000000 is expected, "
                "perhaps with :blocks, :warps or :lanes behind it, or with "
                "block:, warp: or lane: before it\n",
                text);
        exit(STATUS_USAGE);
    }
    sim_settings.first = (unsigned)order;
    sim_settings.order = one_first ? ORDER_ONE_FIRST : (unsigned)order;
    sim_settings.whose = sim_settings.order ? whose : 0;
}

static void read_once(void)
{
    sim_settings.report = read_file("SIM_REPORT");
    sim_settings.trace = read_file("SIM_TRACE");
    sim_settings.trace_ranges = read_number("SIM_TRACE_RANGES", 0, 0, 1);
    sim_settings.trace_launch =
        (unsigned)read_number("SIM_TRACE_LAUNCH", 0, 0, 100000000);
    sim_settings.trace_blocks =
        (unsigned)read_number("SIM_TRACE_BLOCKS", 1, 1, 1000000);
    sim_settings.trace_warps =
        (unsigned)read_number("SIM_TRACE_WARPS", MAX_WARPS, 1, MAX_WARPS);
    sim_settings.trace_requests =
        (unsigned)read_number("SIM_TRACE_REQUESTS", 1, 1, 1000000);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cores = cores < 1 ? 1 : cores > MAX_WORKERS ? MAX_WORKERS : cores;
    sim_settings.threads =
        (int)read_number("SIM_THREADS", cores, 1, MAX_WORKERS);
    read_order();
    sim_settings.why = read_file("SIM_WHY");
    if (read_number("SIM_COVERAGE", 0, 0, 1) || sim_settings.trace ||
        sim_settings.order || sim_settings.why) /* not by luck */
        sim_settings.threads = 1;
    sim_settings.timeout = (double)read_number("SIM_TIMEOUT", 60, 1, 1000000);
    sim_settings.checks = read_number("SIM_CHECKS", 1, 0, 1);
    if (!sim_settings.checks)
        fprintf(stderr, "SIM_CHECKS=0: nothing is counted, and bugs that a GPU "
                        "hides are not looked for\n");
    sim_settings.search = read_number("SIM_SEARCH", 1, 0, 1);
    sim_settings.count_all = read_count();
}

void sim_settings_read(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
}
