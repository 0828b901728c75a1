/**
 * @file latency.cu
 * @brief Cycles from a load to the next load that needs its result.
 *
 * One thread follows a chain: each word holds the index of the next one, so
 * no load can begin before the last one has ended. What answers the loads is
 * chosen by the length of the chain: it fits the L1 cache, only the L2, or
 * neither. Method: pointer chasing, as in Saavedra and Smith, "Measuring
 * cache and TLB performance" (IEEE Trans. Computers 44, 1995).
 *
 * Run: make test-gpu, or build/gpu/tests/latency
 */

#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#define STEPS 20000          /**< loads that are timed */
#define LINE 32              /**< words of a cache line, 128 bytes */
#define SHARED_WORDS 8192    /**< 32 KiB */
#define L1_WORDS 16384       /**< 64 KiB */
#define L2_WORDS (4 << 20)   /**< 16 MiB */
#define DRAM_WORDS (1 << 28) /**< 1 GiB */

/** Follow the chain from global memory. L1: also through the L1 cache. */
template <bool L1>
__global__ void chase_global(const unsigned *chain, int warmup, unsigned *end,
                             long long *cycles)
{
    unsigned i = 0;
    for (int s = 0; s < warmup; s++)
        i = L1 ? chain[i] : __ldcg(&chain[i]);
    long long start = clock64();
    for (int s = 0; s < STEPS; s++)
        i = L1 ? chain[i] : __ldcg(&chain[i]);
    *cycles = clock64() - start;
    *end = i; // used, or the compiler would remove the loop
}

/** Follow the chain in shared memory. */
__global__ void chase_shared(const unsigned *chain, unsigned *end,
                             long long *cycles)
{
    __shared__ unsigned copy[SHARED_WORDS];
    for (int i = 0; i < SHARED_WORDS; i++)
        copy[i] = chain[i];
    unsigned i = 0;
    long long start = clock64();
    for (int s = 0; s < STEPS; s++)
        i = copy[i];
    *cycles = clock64() - start;
    *end = i;
}

/** One random cycle through all lines of @p words words, a word a line. */
static unsigned *make_chain(int words)
{
    int lines = words / LINE;
    unsigned *order = (unsigned *)malloc(lines * sizeof *order);
    unsigned *chain = (unsigned *)calloc(words, sizeof *chain);
    if (!order || !chain)
        exit(2);
    for (int i = 0; i < lines; i++)
        order[i] = i;
    unsigned long long random = 1;
    for (int i = lines - 1; i > 0; i--) { // Sattolo's shuffle: one cycle
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        int j = (int)((random >> 33) % i);
        unsigned t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int i = 0; i < lines; i++)
        chain[i * LINE] = order[i] * LINE;
    free(order);
    unsigned *d_chain;
    CUDA_CHECK(cudaMalloc((void **)&d_chain, (size_t)words * sizeof *chain));
    CUDA_CHECK(cudaMemcpy(d_chain, chain, (size_t)words * sizeof *chain,
                          cudaMemcpyHostToDevice));
    free(chain);
    return d_chain;
}

/** Print one line and check that the latencies grow from near to far. */
static double show(const char *memory, const char *how, long long *cycles,
                   double least)
{
    CUDA_CHECK(cudaDeviceSynchronize());
    double latency = (double)*cycles / STEPS;
    printf("%-8s %7.1f cycles  (%s)\n", memory, latency, how);
    if (!(latency > least && latency < 5000)) {
        fprintf(stderr,
                "latency: %s took %.1f cycles, more than %.1f expected\n",
                memory, latency, least);
        exit(1);
    }
    return latency;
}

int main(void)
{
    device_info device = device_open(0);
    unsigned *end;
    long long *cycles;
    CUDA_CHECK(cudaMalloc((void **)&end, sizeof *end));
    CUDA_CHECK(cudaMallocHost((void **)&cycles, sizeof *cycles));
    printf("%s: latency of dependent loads\n", device.name);

    unsigned *chain = make_chain(SHARED_WORDS);
    chase_shared<<<1, 1>>>(chain, end, cycles);
    double shared = show("shared", "32 KiB chain", cycles, 1);

    chain = make_chain(L1_WORDS);
    chase_global<true><<<1, 1>>>(chain, L1_WORDS / LINE, end, cycles);
    double l1 = show("L1", "64 KiB chain, second round", cycles, shared / 2);

    chain = make_chain(L2_WORDS);
    chase_global<false><<<1, 1>>>(chain, L2_WORDS / LINE, end, cycles);
    double l2 = show("L2", "16 MiB chain, past the L1", cycles, l1);

    chain = make_chain(DRAM_WORDS);
    chase_global<false><<<1, 1>>>(chain, 0, end, cycles);
    show("DRAM", "1 GiB chain, each line touched once", cycles, l2);
    return 0;
}
