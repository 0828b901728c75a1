/**
 * @file report.h
 * @brief The sums of a launch: counters by name, and JSON lines.
 *
 * report.c has also what programs ask: sim_counters().
 */
#ifndef REPORT_H
#define REPORT_H

#include "worker.h"

/** A launch has ended: sum up what @p count workers have counted, append to
 *  SIM_REPORT. */
void sim_report_launch(sim_worker *const *workers, int count);

/** cudaProfilerStart(): a range of launches begins, unless one is open. */
void sim_report_begin_range(void);

/** cudaProfilerStop(). */
void sim_report_end_range(void);

#endif
