/**
 * @file report.h
 * @brief The sums of a launch: counters by name, and JSON lines.
 */
#ifndef REPORT_H
#define REPORT_H

#include "worker.h"

/** The workers of the latest launch. @return how many */
int sim_workers(sim_worker *const **all);

/** A launch has ended: sum up, append to SIM_REPORT. */
void sim_report_launch(void);

#endif
