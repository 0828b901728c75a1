/**
 * @file registers.c
 * @brief Registers that warps give to others: setmaxnreg of sm_90a.
 *
 * Nobody runs out of them here. At the end of a block they are added up.
 * Semantics: "PTX ISA", "setmaxnreg".
 */
#include "inside.h"

#define WARPGROUP 128      /**< threads */
#define PER_SM (64u << 10) /**< registers */
#define STEP 8             /**< a thread has a multiple of it, */
#define MOST 256           /**< no more */
#define LEAST 24           /**< and no fewer */

static void report(const sim_worker *w, unsigned thread, const char *what)
{
    sim_finding("register-count",
                sim_place_at(w, w->lanes[thread].registers_site), "%s", what);
}

void sim_registers_set(unsigned count, uint32_t site)
{
    sim_worker *w = sim_self;
    if (w->registers_block != w->block_serial)
        for (unsigned t = 0; t < sim_now.threads; t++)
            w->lanes[t].registers = 0;
    w->registers_block = w->block_serial;
    w->lane->registers = (uint16_t)count;
    w->lane->registers_site = site;
    if (count < LEAST || count > MOST || count % STEP)
        report(
            w, lane_index(w, w->lane),
            sim_format("%u registers: from %u to %u in steps of %u are allowed",
                       count, LEAST, MOST, STEP));
}

/** Have all warps of a group as many? @return they have */
static bool check_group(const sim_worker *w, unsigned first)
{
    for (unsigned t = first; t < first + WARPGROUP && t < sim_now.threads; t++)
        if (w->lanes[t].registers != w->lanes[first].registers) {
            bool here = w->lanes[t].registers;
            report(w, here ? t : first,
                   sim_format("%s has come here, %s has not\nall warps of a "
                              "warp group must execute one setmaxnreg",
                              sim_who(w, here ? t : first),
                              sim_thread_text(w, here ? first : t)));
            return false;
        }
    return true;
}

void sim_registers_end_block(sim_worker *w)
{
    unsigned had = PER_SM / sim_now.threads / STEP * STEP;
    unsigned sum = 0, room = 0, most = 0;
    if (w->registers_block != w->block_serial)
        return;
    if (had > MOST)
        had = MOST;
    for (unsigned t = 0; t < sim_now.threads; t += WARPGROUP)
        if (!check_group(w, t))
            return;
    for (unsigned t = 0; t < sim_now.threads; t++) {
        const sim_lane *lane = &w->lanes[t];
        if (lane->registers > w->lanes[most].registers)
            most = t;
        sum += lane->registers;
        room += lane->registers ? had : 0;
    }
    if (sum > room)
        report(w, most,
               sim_format("%s waits for registers for ever: its block wants "
                          "%u\nand has %u, at most %u in each of %u threads",
                          sim_who(w, most), sum, room, had, sim_now.threads));
}
