// feature: a `__constant__` or `__device__` variable is its file's own, though
// another file has one of the same name
// counted only: g++ gives both files one, or none

#include <stdio.h>

__constant__ short most[] = {7};
__device__ int calls;

/** Of other.cu: it has variables of these names, too. */
bool other_is_right();

__global__ void count(int *result)
{
    calls++;
    result[0] = calls;
    result[1] = most[0];
}

int main()
{
    int *d, x[2];
    cudaMalloc((void **)&d, sizeof x);
    count<<<1, 1>>>(d);
    count<<<1, 1>>>(d);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    cudaFree(d);
    bool right = x[0] == 2 && x[1] == 7 && other_is_right();
    if (!right)
        printf("%d calls, most %d\n", x[0], x[1]);
    return !right;
}
