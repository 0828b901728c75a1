/**
 * @file queue.c
 * @brief Work behind a launch that goes on.
 */
#include "api.h"

/** Work that waits. */
struct piece {
    struct piece *next;
    sim_work_fn work;
    _Alignas(16) unsigned char data[]; /**< for work */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t doing = PTHREAD_MUTEX_INITIALIZER; /* the work */
static struct piece *first, **end = &first;
static _Atomic uint64_t given, done; /* numbers */
static _Atomic bool first_goes_on;   /* number done + 1 is such a launch */

uint64_t sim_queue_add(sim_work_fn work, const void *data, size_t bytes)
{
    struct piece *p = sim_new(sizeof *p + bytes);
    p->work = work;
    memcpy(p->data, data, bytes);
    pthread_mutex_lock(&lock);
    *end = p;
    end = &p->next;
    uint64_t number = ++given;
    pthread_mutex_unlock(&lock);
    return number;
}

uint64_t sim_queue_note_launch(void)
{
    pthread_mutex_lock(&lock);
    if (!atomic_exchange(&first_goes_on, true))
        given++;
    uint64_t number = given;
    pthread_mutex_unlock(&lock);
    return number;
}

bool sim_queue_is_done(uint64_t number)
{
    return number <= done;
}

/** The next piece of work; NULL: there is none. */
static struct piece *take(void)
{
    pthread_mutex_lock(&lock);
    struct piece *p = first;
    if (p)
        first = p->next;
    if (!first)
        end = &first;
    pthread_mutex_unlock(&lock);
    return p;
}

/** Do work until a launch goes on, or until there is none. */
static void work_off(void)
{
    struct piece *p;
    while (!first_goes_on && (p = take())) {
        if (!sim_sticky())
            p->work(p->data);
        free(p);
        first_goes_on = sim_launch_goes_on();
        done += !first_goes_on;
    }
}

bool sim_queue_is_empty(void)
{
    if (done == given)
        return true;
    if (pthread_mutex_trylock(&doing))
        return false;
    if (first_goes_on && !sim_launch_goes_on()) {
        first_goes_on = false;
        done++;
    }
    work_off();
    pthread_mutex_unlock(&doing);
    return done == given;
}

void sim_queue_wait(void)
{
    if (done == given)
        return;
    pthread_mutex_lock(&doing);
    while (done < given) {
        if (first_goes_on) {
            sim_launch_finish();
            first_goes_on = false;
            done++;
        }
        work_off();
    }
    pthread_mutex_unlock(&doing);
}
