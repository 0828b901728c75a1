// A loop without end that touches no memory at all.

#include <cuda_runtime.h>

__global__ void collatz(unsigned *out, unsigned start)
{
    unsigned n = start, steps = 0;
    while (n != 0) {                   // n goes 4, 2, 1, 4, 2, 1 ...
        n = n % 2 ? 3 * n + 1 : n / 2; // says: wrong_timeout_no_memory.cu:9
        steps++;
    }
    out[0] = steps;
}

int main()
{
    unsigned *out;
    cudaMalloc((void **)&out, sizeof(int));
    collatz<<<1, 1>>>(out, 27); // expect: timeout
    cudaDeviceSynchronize();
    return 0;
}
