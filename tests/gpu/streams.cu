/**
 * @file streams.cu
 * @brief GEMMs that share tiles, on several streams at once: right or refused.
 *
 * Every thread has a default stream of its own. THREADS of them launch gemm_12
 * at the same time, again and again, and each compares all of its results with
 * one that it computed while nobody else did anything: bit for bit, since parts
 * are added in the order of K.
 *
 * Run: make test-gpu, or build/gpu/tests/streams [THREADS]; the default is as
 * many as there are workspaces. One more, and the program ends with 2.
 * tests/programs/test_chapters.py runs it in the simulator.
 */

#define main chapter_main // the chapter's own is not called
#include "../../chapters/gemm_12_stream_k/gemm_12_stream_k.cu"
#undef main

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <vector>

#include "internal.h"

/** Edge of C and K. The second fills a GPU with blocks that wait for others. */
static const int SIZES[][2] = {{64, 1024}, {600, 2000}};

static std::atomic<int> ready; /**< how often threads have been counted */

/** Device memory with numbers that differ from thread to thread. */
static float *numbers(int count, unsigned seed)
{
    std::vector<float> h_x(count);
    for (float &x : h_x) {
        seed = seed * 1664525u + 1013904223u;
        x = (float)(int)seed / 2147483648.0f;
    }
    float *d_x;
    CUDA_CHECK(cudaMalloc((void **)&d_x, count * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_x, h_x.data(), count * sizeof(float),
                          cudaMemcpyHostToDevice));
    return d_x;
}

/** Launch @p rounds GEMMs, each with a C of its own, and fetch all results. */
static std::vector<float> results(gemm_problem p, int rounds)
{
    size_t floats = (size_t)p.M * p.ldc;
    std::vector<float> h_C(rounds * floats);
    float *d_C;
    CUDA_CHECK(cudaMalloc((void **)&d_C, h_C.size() * sizeof(float)));
    for (int i = 0; i < rounds; i++) {
        p.C = d_C + i * floats;
        launch(&p);
    }
    CUDA_CHECK(cudaMemcpyAsync(h_C.data(), d_C, h_C.size() * sizeof(float),
                               cudaMemcpyDeviceToHost, cudaStreamPerThread));
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    CUDA_CHECK(cudaFree(d_C));
    return h_C;
}

/** Count this thread, and wait until @p count have been counted. */
static void meet(int count)
{
    ready++;
    while (ready < count)
        std::this_thread::yield();
}

/** Thread @p number: for each size a result alone, then many beside others. */
static void work(int number, int threads, int sizes, int rounds, int *wrong)
{
    for (int i = 0; i < sizes; i++) {
        gemm_problem p = {};
        p.M = p.N = p.ldb = p.ldc = SIZES[i][0];
        p.K = p.lda = SIZES[i][1];
        p.alpha = 1.0f;
        p.A = numbers(p.M * p.K, 2 * number + 1);
        p.B = numbers(p.K * p.N, 2 * number + 2);
        while (ready < 2 * i * threads + number)
            std::this_thread::yield(); // until it is this thread's turn
        std::vector<float> first = results(p, 1);
        meet((2 * i + 1) * threads);
        std::vector<float> all = results(p, rounds);
        for (int r = 0; r < rounds; r++)
            *wrong += memcmp(&all[r * first.size()], first.data(),
                             first.size() * sizeof(float)) != 0;
        CUDA_CHECK(cudaFree((void *)p.A));
        CUDA_CHECK(cudaFree((void *)p.B));
        meet((2 * i + 2) * threads);
    }
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : WORKSPACES;
    bool slow = device_open(0).simulator;
    int sizes = slow ? 1 : (int)(sizeof(SIZES) / sizeof(SIZES[0]));
    int rounds = slow ? 3 : 1000;
    std::vector<int> wrong(threads);
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
        all.emplace_back(work, i, threads, sizes, rounds, &wrong[i]);
    int sum = 0;
    for (int i = 0; i < threads; i++) {
        all[i].join();
        sum += wrong[i];
    }
    printf("%s  %d threads, %d x %d GEMMs each: %d wrong\n",
           sum ? "FAIL" : "pass", threads, sizes, rounds, sum);
    return sum > 0;
}
