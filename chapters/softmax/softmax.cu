/**
 * @file softmax.cu
 * @brief Softmax of the rows of a matrix in eight ways.
 *
 *     y[r][c] = exp(x[r][c] - m) / sum over i of exp(x[r][i] - m)
 *
 * m is the largest element of the row r: without it exp() would overflow, and
 * it cancels out. x and y are [rows x cols], float32.
 *
 * What comes of special values is what the formula says: -Inf becomes 0, a row
 * of nothing but -Inf NaN, and so does any row with a NaN or +Inf.
 *
 * Each variant is a file of kernels/, numbered in the order of reading;
 * device.cuh and fours.cuh there have what they share. In host/ are the problem
 * and its inputs, what is right (reference), and what we compare with
 * (library).
 *
 * Run:     make chapter=softmax run
 *          make chapter=softmax run variant=packed args="--rows 999 --cols 33"
 * Measure: make chapter=softmax compare args="--rows 4096 --cols 50257"
 */

#include "host/problem.cuh"

/* ---- variants ----------------------------------------------------------- */

#include "kernels/1_thread_row.cuh"
#include "kernels/2_block_row.cuh"
#include "kernels/3_online.cuh"
#include "kernels/4_shared.cuh"
#include "kernels/5_registers.cuh"
#include "kernels/6_cluster.cuh"
#include "kernels/7_warp_row.cuh"
#include "kernels/8_packed.cuh"

static const variant variants[] = {
    {"thread_row", "a thread a row, three passes", thread_row},
    {"block_row", "a block a row, three passes", block_row},
    {"online", "largest element and sum in one pass", online},
    {.name = "shared",
     .idea = "the row waits in shared memory",
     .enqueue = shared,
     .refuse = shared_refuse},
    {.name = "registers",
     .idea = "the row stays in registers, 16 bytes a load",
     .enqueue = registers,
     .refuse = registers_refuse},
    {.name = "cluster",
     .idea = "several blocks share a row",
     .enqueue = cluster,
     .open = cluster_open,
     .refuse = cluster_refuse},
    {.name = "warp_row",
     .idea = "a warp a row, no barrier",
     .enqueue = warp_row,
     .refuse = warp_row_refuse},
    {.name = "packed",
     .idea = "32 rows are one piece of memory, then a thread a row",
     .enqueue = packed,
     .refuse = packed_refuse},
};

/** Columns of the table in the simulator. */
static const char *const columns[] = {
    "global_load_sectors", "global_store_sectors", "shared_load_wavefronts",
    "barriers", NULL};

/* ---- main --------------------------------------------------------------- */

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    e.columns = columns;
    return variants_main(&e, argc, argv);
}
