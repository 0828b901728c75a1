/**
 * @file settings.h
 * @brief The switches, read from the environment once.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>

/** Who may go in another order. */
typedef enum { GO_BLOCKS = 1, GO_WARPS = 2, GO_LANES = 4 } sim_goers;

/** SIM_ORDER=block:7: it goes first, the others as they come. */
#define ORDER_ONE_FIRST 1000001

/** See the README for what they do. */
typedef struct {
    const char *report; /**< SIM_REPORT: file for JSON lines, NULL: none */
    int threads;        /**< SIM_THREADS: OS threads that run blocks */
    unsigned order;     /**< SIM_ORDER: 0 as they come, 1 the last first */
    unsigned whose;     /**< SIM_ORDER: of which of sim_goers */
    unsigned first;     /**< SIM_ORDER: who, with ORDER_ONE_FIRST */
    double timeout;     /**< SIM_TIMEOUT: without a finished block (s) */
    bool checks;        /**< SIM_CHECKS: count, and look for any bug */
    bool search;        /**< SIM_SEARCH: for races, uninitialised reads */
    bool count_all;     /**< SIM_COUNT: also launches like an earlier one */
    const char *trace;  /**< SIM_TRACE: file for single requests, NULL: none */
    bool trace_ranges;  /**< SIM_TRACE_RANGES: in them alone */
    unsigned trace_blocks;   /**< SIM_TRACE_BLOCKS: of a launch */
    unsigned trace_warps;    /**< SIM_TRACE_WARPS: of a block */
    unsigned trace_requests; /**< SIM_TRACE_REQUESTS: of a warp, a place */
} sim_switches;

extern sim_switches sim_settings;

/** The program will ask for counters: count all launches by default. */
void sim_settings_ask(void);

/** Read the environment; exits 2 on a value that makes no sense. */
void sim_settings_read(void);

#endif
