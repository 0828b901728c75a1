/**
 * @file host.cuh
 * @brief The host side of the random kernels: inputs, launch, outputs.
 *
 * generate.py makes the kernels and a main() that calls run() for each.
 */
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { IN_WORDS = 4096, COUNTER_WORDS = 256, OWN_WORDS = 512 * 8 };

typedef void (*random_kernel)(const unsigned *in, unsigned *out,
                              unsigned *global_add, unsigned *global_max,
                              unsigned *global_xor, unsigned *own_global,
                              float f);

__constant__ unsigned table[256];

/** Word i of the input, the same as in generate.py. */
static unsigned input_word(unsigned i, unsigned seed)
{
    unsigned x = i * 2654435761u + seed * 40503u;
    x ^= x >> 15;
    return x * 2246822519u;
}

static unsigned *zeros(size_t words)
{
    unsigned *p;
    cudaMalloc((void **)&p, words * sizeof(unsigned));
    cudaMemset(p, 0, words * sizeof(unsigned));
    return p;
}

/** Append device memory to a file, and free it. */
static void save(FILE *file, unsigned *p, size_t words)
{
    unsigned *h = (unsigned *)malloc(words * sizeof(unsigned));
    cudaMemcpy(h, p, words * sizeof(unsigned), cudaMemcpyDeviceToHost);
    fwrite(h, sizeof(unsigned), words, file);
    free(h);
    cudaFree(p);
}

/** Launch one kernel and append all it wrote to @p file. */
static void run(FILE *file, random_kernel kernel, unsigned seed, int blocks,
                int threads, size_t out_words)
{
    static unsigned input[IN_WORDS];
    for (int i = 0; i < IN_WORDS; i++)
        input[i] = input_word(i, seed);
    unsigned *in = zeros(IN_WORDS), *out = zeros(out_words);
    unsigned *add = zeros(COUNTER_WORDS), *max = zeros(COUNTER_WORDS);
    unsigned *bits = zeros(COUNTER_WORDS), *own = zeros(OWN_WORDS);
    cudaMemcpy(in, input, sizeof input, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, input, sizeof table);
    kernel<<<blocks, threads>>>(in, out, add, max, bits, own, 0.5f);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        fprintf(stderr, "seed %u: %s\n", seed, cudaGetErrorString(error));
    save(file, out, out_words);
    save(file, add, COUNTER_WORDS);
    save(file, max, COUNTER_WORDS);
    save(file, bits, COUNTER_WORDS);
    save(file, own, OWN_WORDS);
    cudaFree(in);
}
