// The last element of an array holds by chance what the simulator would have
// put there if the array ended one element earlier.

#include <cuda_runtime.h>

#ifdef __CUDASIM__
#define MARK sim_hook_zone // what stands behind an array: 14 words of nobody
#else
#define MARK nullptr
#endif

__device__ __noinline__ void fill(unsigned *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = i;
}

__device__ __noinline__ unsigned sum(const unsigned *p, unsigned n)
{
    unsigned total = 0;
    for (unsigned i = 0; i < n; i++)
        total += p[i];
    return total;
}

__global__ void sums(void (*mark)(void *, const char *), unsigned *out)
{
    unsigned all[32] = {}; // an array of 8, and room behind it
    if (mark) {
        mark(&all[7], "all"); // the first of these words stays
        mark(&all[8], "all");
    }
    fill(all, 8);
    *out = sum(all, 8);
}

int main()
{
    unsigned *out, h;
    cudaMalloc(&out, sizeof h);
    sums<<<1, 1>>>(MARK, out);
    cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
    return h != 28;
}
