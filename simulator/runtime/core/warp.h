/**
 * @file warp.h
 * @brief What lanes wait for, alone and together.
 */
#ifndef WARP_H
#define WARP_H

#include <stdbool.h>
#include <stddef.h>

#include "findings.h"
#include "worker.h"

/** Complete the warp operations for which all lanes have come.
 *  @return any was completed */
bool sim_warp_complete(sim_worker *w, unsigned warp);

/** Where a lane waits, for a finding. */
sim_place sim_place_of(const sim_worker *w, const sim_lane *lane);

/** Where a lane waits or was last seen, as text. */
const char *sim_lane_place(const sim_lane *lane);

/** What each warp of the block waits for, as text. @return length */
size_t sim_describe_waiting(const sim_worker *w, char *text, size_t bytes);

#endif
