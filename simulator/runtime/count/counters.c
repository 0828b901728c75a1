/**
 * @file counters.c
 * @brief sim_counters(), in a file of its own.
 *
 * The linker takes it only for programs that call it. These want the sums of
 * all launches, so its being there is the wish for them; see SIM_COUNT.
 */
#include "count.h"

__attribute__((constructor)) static void ask(void)
{
    sim_settings_ask();
}

int sim_counters(sim_count *counts, int capacity)
{
    return sim_count_answer(counts, capacity);
}
