/**
 * @file merge.h
 * @brief Makes requests of warps from the accesses of lanes.
 */
#ifndef MERGE_H
#define MERGE_H

#include "worker.h"

/** Merge the log of warp @p warp and raise its requests.
 *  @param all  also what lanes that are not full may still join */
void sim_merge(sim_worker *w, unsigned warp, bool all);

#endif
