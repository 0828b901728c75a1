/**
 * @file turn.c
 * @brief Launches that may run at the same time.
 */
#include "inside.h"

#define MOST_LAUNCHES 16 /**< that are remembered; then all begin anew */

typedef struct {
    unsigned stream;
    uint32_t number; /* in the stream, from 1; 0: behind everything */
    uint64_t first;  /* number of its first block */
    const char *name;
    void *frames[MOST_FRAMES]; /* who asked for a copy */
    sim_past past;
} turn;

bool sim_streams;
static turn next;
static turn turns[MOST_LAUNCHES]; /* the last one runs */
static int count;

void sim_past_join(sim_past *past, const sim_past *other)
{
    for (int i = 0; i < MOST_STREAMS; i++)
        if (past->work[i] < other->work[i])
            past->work[i] = other->work[i];
}

void sim_turn_take(unsigned stream, uint32_t number, const sim_past *past)
{
    next = (turn){.stream = stream, .number = number, .past = *past};
}

/** Has it ended when @p t begins? */
static bool is_over(const turn *earlier, const turn *t)
{
    return !t->number || earlier->number <= t->past.work[earlier->stream];
}

uint64_t sim_turn_begin(uint64_t blocks, const char *name, void *const *frames)
{
    static uint64_t behind_last; /* the first number that no block has */
    int over = 0;
    for (int i = 0; i < count; i++)
        over += is_over(&turns[i], &next);
    if (over == count || count == MOST_LAUNCHES)
        count = 0;
    next.first = count ? behind_last : 0;
    next.name = name;
    if (frames)
        memcpy(next.frames, frames, sizeof next.frames);
    else
        next.frames[0] = NULL;
    behind_last = next.first + blocks;
    turns[count++] = next;
    next.number = 0;
    return turns[count - 1].first;
}

static const turn *turn_of(uint64_t block)
{
    int i = count - 1;
    while (i > 0 && block < turns[i].first)
        i--;
    return &turns[i];
}

bool sim_turn_is_over(uint64_t block)
{
    const turn *t = turn_of(block), *now = &turns[count - 1];
    return t != now && is_over(t, now);
}

const char *sim_turn_name(uint64_t block)
{
    const turn *t = turn_of(block);
    return t == &turns[count - 1] ? NULL : t->name;
}

void *const *sim_turn_caller(uint64_t block)
{
    const turn *t = turn_of(block);
    return t->frames[0] ? t->frames : NULL;
}

const char *sim_turn_own_name(void)
{
    return turns[count - 1].name;
}

uint64_t sim_turn_own(uint64_t block)
{
    return block - turn_of(block)->first;
}
