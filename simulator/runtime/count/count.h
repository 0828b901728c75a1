/**
 * @file count.h
 * @brief The requests of a launch, summed for each place.
 *
 * count.c sums; report.c and trace.c write down.
 */
#ifndef COUNT_H
#define COUNT_H

#include "../core/core.h"
#include "cost.h"

/** What is summed over the requests of a place. */
enum {
    REQUESTS,        /**< instructions of a warp */
    LANES_ACTIVE,    /**< active lanes */
    UNITS,           /**< sectors, wavefronts, or passes */
    IDEAL,           /**< the least units for as many lanes */
    CONFLICTS,       /**< shared memory: bank conflicts */
    TAG_WAVEFRONTS,  /**< global loads, stores */
    DATA_WAVEFRONTS, /**< global loads, stores */
    CYCLES,          /**< of the L1: the same */
    SUMS
};

/** The sums of one site, space and operation. */
typedef struct {
    uint64_t sum[SUMS]; /**< as above */
    uint64_t low;       /**< lowest address of a request's first lane */
    uint64_t high;      /**< highest one */
    uint32_t least;     /**< units of the cheapest request */
    uint32_t most;      /**< units of the dearest request */
    uint32_t bytes;     /**< of one lane */
} sim_stat;

/** Beside OP_LOAD ... in the sums: ldmatrix. */
enum { STAT_MATRIX = OP_ATOMIC + 1, STAT_KINDS };

/** The sums to which a request belongs. */
sim_stat *sim_stat_of(const sim_worker *w, const sim_request *r);

/** Add one request. */
void sim_count_request(sim_worker *w, const sim_request *r);

/** Asks for the events before main(); simcc names it to the linker. */
void sim_count_watch(void);

/** The accesses by addresses that are the same in every run: what lies outside
 *  the arena, where the system puts things as it likes, by its position.
 *  @return @p access or @p room */
const uint64_t *sim_stable(const uint64_t access[LANES], uint32_t mask,
                           sim_pattern pattern, uint64_t room[LANES]);

/** What sim_counters() answers. */
int sim_count_answer(sim_count *counts, int capacity);

/* ---- report.c ------------------------------------------------------------ */

/** The sums of one place, space and operation. */
typedef struct {
    const sim_site *site;
    unsigned space;
    unsigned op;
    sim_stat sum;
} sim_line;

/** Append a launch to SIM_REPORT.
 *  @param totals          ends with a name that is NULL
 *  @param dynamic_offset  of dynamic in the block's shared memory */
void sim_report_launch(const sim_count *totals, sim_line *lines, size_t count,
                       size_t dynamic_offset);

/** As JSON: "global", "load". */
extern const char *const sim_space_names[], *const sim_op_names[];

/** SIM_TRACE: asks as sim_count_watch() does. */
void sim_trace_watch(void);

/** SIM_WHY: the same. */
void sim_why_watch(void);

#endif
