// feature: printf in kernels: formats, order within a thread, before the host's
// next line

#include <cuda_runtime.h>
#include <stdio.h>

__global__ void speak(const char *word, float x)
{
    printf("block %d thread %d: %s\n", blockIdx.x, threadIdx.x, "first");
    printf("%5.2f|%-4d|%x|%c|%lld|%%\n", x, 7, 255, 'c', 1ll << 40);
}

int main()
{
    printf("host before\n");
    speak<<<1, 1>>>(NULL, 3.14159f);
    cudaDeviceSynchronize();
    printf("host after\n");
    return 0;
}
// prints: host before
// prints: block 0 thread 0: first
// prints:  3.14|7   |ff|c|1099511627776|%
// prints: host after
