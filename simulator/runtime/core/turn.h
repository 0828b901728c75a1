/**
 * @file turn.h
 * @brief Which launches the program has put in order.
 *
 * They run one at a time here. On a GPU two of them may run at the same time,
 * if they are in different streams and nothing makes one wait for the other.
 * The detectors take the blocks of such launches for blocks of one launch.
 */
#ifndef TURN_H
#define TURN_H

#include <stdbool.h>
#include <stdint.h>

#define MOST_STREAMS 32 /**< that are told apart; the others are number 0 */

/** What lies behind something: of each stream the number of its latest work. */
typedef struct {
    uint32_t work[MOST_STREAMS];
} sim_past;

/** All that lies behind @p other lies behind @p past, too. */
void sim_past_join(sim_past *past, const sim_past *other);

/** The program has streams of its own. */
extern bool sim_streams;

/** The next launch is work @p number of a stream. */
void sim_turn_take(unsigned stream, uint32_t number, const sim_past *past);

/**
 * A launch of so many blocks begins.
 *
 * @return the number of its first block among those of all launches that may
 * run at the same time; 0: there is no other one
 */
uint64_t sim_turn_begin(uint64_t blocks, const char *name);

/** The launch of a block, by this number: is it over when the one that runs
 *  begins, and what is its name? */
bool sim_turn_is_over(uint64_t block);
const char *sim_turn_name(uint64_t block);

/** The name of the one that runs. */
const char *sim_turn_own_name(void);

/** The number of such a block in its own grid. */
uint64_t sim_turn_own(uint64_t block);

#endif
