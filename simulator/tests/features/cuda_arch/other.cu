#include "../../check.h"
#include "sides.cuh"

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
