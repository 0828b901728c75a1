// A second source, with a kernel and launches of its own.

#include "sides.cuh"

static __global__ void add_to_all(float *x, float value)
{
    x[threadIdx.x] += value;
}

void add(float *x, int n, float value)
{
    add_to_all<<<1, n>>>(x, value);
}

int launches_of_other()
{
    return launches;
}

bool other_is_right()
{
    double *x, h[32];
    cudaMalloc(&x, sizeof h);
    for (int i = 0; i < 3; i++, launches++)
        fill<<<1, 32>>>(x, 0.5);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    int times = 0;
    cudaMemcpyFromSymbol(&times, calls, sizeof times);
    cudaFree(x);
    return h[31] == 900.5 && times == 3 && architecture() == -1;
}

// Variables that main.cu has, too, and others of that name.
#ifdef __clang__
__constant__ float most[2];
__device__ double rounds = 0.5;

__global__ static void look(double *result)
{
    rounds += 1;
    result[0] = rounds;
    result[1] = most[1];
}

bool others_variables_are_right()
{
    float numbers[2] = {1, 2.5f};
    double *d, x[2];
    cudaMemcpyToSymbol(most, numbers, sizeof numbers);
    cudaMalloc((void **)&d, sizeof x);
    look<<<1, 1>>>(d);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    return x[0] == 1.5 && x[1] == 2.5;
}
#endif
