/**
 * @file cluster.c
 * @brief Blocks that run together and see each other's shared memory.
 *
 * Each block of a cluster has a worker of its own, and so its own shared
 * memory, where it always is. One of these workers runs at a time: until its
 * block can go on no more, then the next one has its turn. So a block may
 * change what belongs to another one, and all runs in the same order every
 * time. That a block goes as far as it can is hard on programs: what another
 * one should have waited for comes early, or late. A launch without clusters is
 * one of clusters of one block.
 *
 * An address of shared memory has the rank of its block above bit 24.
 */
#include "inside.h"

static sim_cluster *clusters; /* of the launch */

void sim_cluster_form(sim_worker *const *workers, int count)
{
    unsigned size = sim_now.cluster_blocks;
    free(clusters);
    clusters = sim_new((size_t)count * sizeof *clusters);
    for (unsigned i = 0; i < (unsigned)count; i++) {
        sim_cluster *c = &clusters[i / size];
        c->members[i % size] = workers[i];
        pthread_mutex_init(&c->lock, NULL);
        pthread_cond_init(&c->passed, NULL);
        workers[i]->cluster = c;
        workers[i]->rank = i % size;
        workers[i]->clusters_run = 0;
    }
}

/* ---- turns --------------------------------------------------------------- */

static void pass(sim_cluster *c)
{
    if (sim_now.cluster_blocks == 1)
        return;
    pthread_mutex_lock(&c->lock);
    c->turn = (c->turn + 1) % sim_now.cluster_blocks;
    pthread_cond_broadcast(&c->passed);
    pthread_mutex_unlock(&c->lock);
}

static void wait_for_turn(const sim_worker *w)
{
    sim_cluster *c = w->cluster;
    if (sim_now.cluster_blocks == 1)
        return;
    pthread_mutex_lock(&c->lock);
    while (c->turn != w->rank)
        pthread_cond_wait(&c->passed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

bool sim_cluster_turn(sim_worker *w, bool moved)
{
    sim_cluster *c = w->cluster;
    c->still = moved ? 0 : c->still + 1;
    if (c->still > sim_now.cluster_blocks)
        return false;
    pass(c);
    wait_for_turn(w);
    return true;
}

/** The number of the block with this rank in the latest cluster. */
static uint64_t block_of(const sim_cluster *c, unsigned rank)
{
    uint64_t left = c->first / sim_now.cluster_blocks, block = 0, pitch = 1;
    for (int i = 0; i < 3; i++) {
        unsigned length = sim_now.cluster[i];
        unsigned clusters_here = sim_now.grid[i] / length;
        block += (left % clusters_here * length + rank % length) * pitch;
        left /= clusters_here;
        rank /= length;
        pitch *= sim_now.grid[i];
    }
    return block;
}

bool sim_cluster_next(sim_worker *w, uint64_t *block)
{
    sim_cluster *c = w->cluster;
    unsigned size = sim_now.cluster_blocks;
    wait_for_turn(w);
    c->ended++;
    w->ended = true;
    while (!atomic_load(&sim_now.abort) &&
           (w->rank ? c->taken == w->clusters_run : c->ended < size)) {
        c->still++;
        pass(c);
        wait_for_turn(w);
    }
    if (w->rank == 0) {
        c->ended = 0;
        c->first = atomic_fetch_add(&sim_now.next, size);
        if (c->first < sim_now.blocks)
            c->first = size * sim_who_goes(GO_BLOCKS, c->first / size,
                                           sim_now.blocks / size, 0);
        c->taken++;
    }
    w->clusters_run = c->taken;
    *block = block_of(c, w->rank);
    if (!atomic_load(&sim_now.abort) && c->first < sim_now.blocks)
        return true;
    pass(c);
    return false;
}

/* ---- the barrier of a cluster -------------------------------------------- */

void sim_cluster_arrive(uint32_t site)
{
    sim_lane *lane = sim_stop_at(NULL, 0, site);
    if (!lane)
        return; /* called by host code */
    lane->object = NULL;
    sim_yield(sim_self, LANE_ARRIVE);
    lane->cluster_phase = sim_self->cluster->phase + 1;
}

void sim_cluster_wait(uint32_t site)
{
    if (sim_stop_at(NULL, 0, site))
        sim_yield(sim_self, LANE_CLUSTER);
}

void sim_cluster_meet(sim_worker *w)
{
    sim_cluster *c = w->cluster;
    for (unsigned r = 0; r < sim_now.cluster_blocks; r++)
        for (unsigned t = 0; t < sim_now.threads; t++) {
            const sim_lane *lane = &c->members[r]->lanes[t];
            if (lane->state != LANE_DONE && lane->cluster_phase <= c->phase)
                return;
        }
    c->phase++;
    for (unsigned r = 0; r < sim_now.cluster_blocks; r++)
        c->members[r]->barrier_clock = ++c->members[r]->clock;
}

/* ---- each other's shared memory ------------------------------------------ */

unsigned sim_cluster_rank(void)
{
    return sim_self->rank;
}

unsigned sim_cluster_blocks(void)
{
    return sim_now.cluster_blocks;
}

sim_worker *sim_cluster_member(unsigned rank, uint32_t site)
{
    sim_worker *w = sim_self, *member = w->cluster->members[0];
    bool there = rank < sim_now.cluster_blocks;
    if (there)
        member = w->cluster->members[rank];
    if (there && (member == w || !member->ended))
        return member;
    bool none = rank >= MOST_OF_CLUSTER || sim_now.cluster_blocks == 1;
    sim_finding(
        none ? "array-bounds" : "cluster-block", sim_place_at(w, site), "%s",
        there ? sim_format("%s uses shared memory of %s, which has ended",
                           sim_here(w), sim_block_text(member))
        : !none
            ? sim_format("%s uses shared memory of block %u of a cluster of %u",
                         sim_here(w), rank, sim_now.cluster_blocks)
            : sim_format("the address is none of shared memory\nby %s; a "
                         "pointer cut to 32 bits? __cvta_generic_to_shared "
                         "makes one of it",
                         sim_here(w)));
    sim_end_launch(w, cudaErrorLaunchFailure);
}

sim_worker *sim_cluster_owner(const sim_worker *w, const void *p)
{
    for (unsigned r = 0; w->cluster && r < sim_now.cluster_blocks; r++)
        if (in_shared(w->cluster->members[r], p, 1))
            return w->cluster->members[r];
    return NULL;
}

uint32_t sim_cluster_offset(const sim_worker *w, const void *p)
{
    uintptr_t a = (uintptr_t)p;
    if (a - w->shared_low < w->shared_bytes)
        return (uint32_t)(a - w->shared_low);
    return (uint32_t)(a - w->dynamic_low + w->dynamic_offset);
}

void *sim_cluster_byte(const sim_worker *w, uint32_t offset)
{
    if (offset < w->dynamic_offset)
        return (void *)(w->shared_low + offset);
    return (void *)(w->dynamic_low + offset - w->dynamic_offset);
}

size_t sim_shared_offset(const void *p)
{
    return sim_cluster_offset(sim_self, p);
}

void *sim_shared_pointer(size_t offset)
{
    return sim_cluster_byte(sim_self, (uint32_t)offset);
}

size_t sim_shared_address(const void *p)
{
    const sim_worker *owner = sim_cluster_owner(sim_self, p);
    return owner ? owner->rank << RANK_SHIFT | sim_cluster_offset(owner, p)
                 : sim_shared_offset(p);
}

void *sim_shared_at(size_t address, uint32_t site)
{
    unsigned rank = (uint32_t)address >> RANK_SHIFT;
    return sim_cluster_byte(sim_cluster_member(rank, site),
                            address & RANK_OFFSET);
}

void *sim_cluster_map(const void *p, unsigned rank, uint32_t site)
{
    return sim_shared_at(
        (sim_shared_address(p) & RANK_OFFSET) | rank << RANK_SHIFT, site);
}
