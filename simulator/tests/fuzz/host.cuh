/**
 * @file host.cuh
 * @brief The host side of the random kernels: inputs, launch, outputs.
 *
 * generate.py makes the kernels, test_fuzz.py a main() that calls RUN for each.
 */
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { IN_WORDS = 4096, COUNTER_WORDS = 256, OWN_WORDS = 512 * 8 };

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

/** Device memory of one launch. */
struct buffers {
    unsigned *in, *out, *global_add, *global_max, *global_xor, *own_global;
    size_t out_words;
};

/** Inputs for a seed, outputs of zeros. */
static buffers prepare(unsigned seed, size_t out_words)
{
    static unsigned input[IN_WORDS];
    for (int i = 0; i < IN_WORDS; i++)
        input[i] = input_word(i, seed);
    buffers b = {zeros(IN_WORDS),
                 zeros(out_words),
                 zeros(COUNTER_WORDS),
                 zeros(COUNTER_WORDS),
                 zeros(COUNTER_WORDS),
                 zeros(OWN_WORDS),
                 out_words};
    cudaMemcpy(b.in, input, sizeof input, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(table, input, sizeof table);
    return b;
}

/** Append all that a launch wrote to @p file; free the memory. */
static void finish(FILE *file, unsigned seed, buffers b)
{
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        fprintf(stderr, "seed %u: %s\n", seed, cudaGetErrorString(error));
    save(file, b.out, b.out_words);
    save(file, b.global_add, COUNTER_WORDS);
    save(file, b.global_max, COUNTER_WORDS);
    save(file, b.global_xor, COUNTER_WORDS);
    save(file, b.own_global, OWN_WORDS);
    cudaFree(b.in);
}

/** Prepare, launch, save. */
#define RUN(file, kernel, seed, blocks, threads, out_words)                    \
    do {                                                                       \
        buffers b = prepare(seed, out_words);                                  \
        kernel<<<blocks, threads>>>(b.in, b.out, b.global_add, b.global_max,   \
                                    b.global_xor, b.own_global, 0.5f);         \
        finish(file, seed, b);                                                 \
    } while (0)
