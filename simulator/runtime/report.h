/**
 * @file report.h
 * @brief The sums of a launch: counters by name, and JSON lines.
 *
 */
#ifndef REPORT_H
#define REPORT_H

#include "../include/sim.h"
#include "worker.h"

/** Is the launch to be counted? Not if it is like an earlier one, and nobody
 *  has asked for more; see SIM_COUNT. */
bool sim_report_wants(void);

/** What sim_counters() answers. */
int sim_report_counters(sim_count *counts, int capacity);

/** A launch has ended: sum up what @p count workers have counted, append to
 *  SIM_REPORT. */
void sim_report_launch(sim_worker *const *workers, int count);

/** cudaProfilerStart(): a range of launches begins, unless one is open. */
void sim_report_begin_range(void);

/** cudaProfilerStop(). */
void sim_report_end_range(void);

/** The number of the range that is open, 0: none. */
unsigned sim_report_range(void);

#endif
