#include "cases.h"

// feature: decoupled look-back: 1000 blocks in order of arrival, each waits for
// flags of the ones before; volatile, __threadfence, atomics

enum { BLOCKS = 1000, THREADS = 32, WAITING = 0, OWN = 1, ALL = 2 };

/** What a block tells those behind it. */
struct state {
    int own, all, flag;
};

/** Inclusive running sum of one number a thread. */
__global__ void scan(const int *in, int *out, volatile state *states,
                     int *arrived)
{
    __shared__ int number, before;
    int t = threadIdx.x;
    if (t == 0)
        number = atomicAdd(arrived, 1);
    __syncthreads();
    int sum = in[number * THREADS + t];
    for (int distance = 1; distance < THREADS; distance *= 2) {
        int other = __shfl_up_sync(~0u, sum, distance);
        sum += t >= distance ? other : 0;
    }
    if (t == THREADS - 1) {
        states[number].own = sum;
        __threadfence(); // the sum before the flag
        states[number].flag = OWN;
        int total = 0;
        for (int b = number - 1; b >= 0; b--) {
            int flag;
            while ((flag = states[b].flag) == WAITING) {
            }
            __threadfence(); // the flag before the sum
            total += flag == ALL ? states[b].all : states[b].own;
            if (flag == ALL)
                break;
        }
        states[number].all = total + sum;
        __threadfence(); // the sum before the flag
        states[number].flag = ALL;
        before = total;
    }
    __syncthreads();
    out[number * THREADS + t] = before + sum;
}

CASE(chained_scan)
{
    int *in = shared_zeros<int>(BLOCKS * THREADS);
    int *out = shared_zeros<int>(BLOCKS * THREADS);
    state *states = shared_zeros<state>(BLOCKS);
    int *arrived = shared_zeros<int>(1);
    for (int i = 0; i < BLOCKS * THREADS; i++)
        in[i] = i % 7 - 2;
    scan<<<BLOCKS, THREADS>>>(in, out, states, arrived);
    CHECK_CUDA(cudaDeviceSynchronize());
    int sum = 0, wrong = 0;
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        sum += in[i];
        wrong += out[i] != sum;
    }
    CHECK_EQUAL(wrong, 0);
}
