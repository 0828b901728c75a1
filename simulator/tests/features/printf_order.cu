#include "cases.h"

// feature: printf in kernels: formats, order within a thread, before the host's
// next line

// prints: host before
// prints: block 0 thread 0: first
// prints:  3.14|7   |ff|c|1099511627776|%
// prints: host after

__global__ void speak(const char *word, float x)
{
    printf("block %d thread %d: %s\n", blockIdx.x, threadIdx.x, "first");
    printf("%5.2f|%-4d|%x|%c|%lld|%%\n", x, 7, 255, 'c', 1ll << 40);
}

CASE(printf_order)
{
    printf("host before\n");
    speak<<<1, 1>>>(NULL, 3.14159f);
    cudaDeviceSynchronize();
    printf("host after\n");
}
