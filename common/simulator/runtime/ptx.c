/**
 * @file ptx.c
 * @brief Inline PTX, by mnemonic.
 *
 * A chapter that needs an instruction adds it here. One that is not known ends
 * the launch with its text and its line.
 */
#include "ptx.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "../include/cuda_runtime_api.h"
#include "../include/sim.h"
#include "findings.h"

/** Does the text begin with @p mnemonic, after blanks and braces? */
static bool is(const char *text, const char *mnemonic)
{
    while (isspace((unsigned char)*text) || *text == '{')
        text++;
    return !strncmp(text, mnemonic, strlen(mnemonic));
}

/** Special registers: "mov.u32 %0, %laneid;". @return false: another one */
static bool read_register(const sim_worker *w, const char *text,
                          uint64_t *result)
{
    unsigned lane = lane_index(w, w->lane) % LANES;
    if (strstr(text, "%laneid"))
        *result = lane;
    else if (strstr(text, "%warpid"))
        *result = lane_index(w, w->lane) / LANES;
    else if (strstr(text, "%smid"))
        *result = w->block_number % 132;
    else if (strstr(text, "%lanemask_lt"))
        *result = (1u << lane) - 1;
    else if (strstr(text, "%lanemask_le"))
        *result = (2u << lane) - 1;
    else if (strstr(text, "%lanemask_gt"))
        *result = ~((2u << lane) - 1) & 0xffffffffu;
    else if (strstr(text, "%lanemask_ge"))
        *result = ~((1u << lane) - 1) & 0xffffffffu;
    else if (strstr(text, "%lanemask_eq"))
        *result = 1u << lane;
    else if (strstr(text, "%globaltimer") || strstr(text, "%clock"))
        *result = sim_clock();
    else
        return false;
    return true;
}

void sim_ptx(sim_worker *w, const char *text, uint64_t *slots, uint32_t outputs,
             uint32_t site)
{
    if (!w->lane)
        return; /* host code has no PTX */
    if (outputs == 1 && is(text, "mov.") && read_register(w, text, &slots[0]))
        return;
    if (is(text, "membar.gl") || is(text, "fence.acq_rel.gpu") ||
        is(text, "fence.sc.gpu") || is(text, "membar.sys")) {
        sim_fence(1, site);
        return;
    }
    if (!*text)
        return; /* asm volatile("" ...): only for the compiler */
    sim_finding(
        "unknown-ptx", (sim_place){.site = site, .block = w->block_number},
        sim_format("inline PTX that the simulator does not know: %s", text));
    sim_end_launch(w, cudaErrorInvalidPtx);
}
