// feature: several sources: two .cu, one .c, headers of one's own

#include "add.h"
#include "scale.cuh"
#include <stdio.h>

int main()
{
    float x[32], *d;
    for (int i = 0; i < 32; i++)
        x[i] = i;
    cudaMalloc((void **)&d, sizeof x);
    cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
    scale<<<1, 32>>>(d, 2.0f);             // a kernel of scale.cuh
    add(d, 32, 1.0f);                      // a function of add.cu
    if (download(x, d, 32) != cudaSuccess) // a function of download.c
        return 1;
    cudaFree(d);
    if (x[31] != 63.0f)
        printf("x[31] is %g, expected 63\n", x[31]);
    return x[31] != 63.0f;
}
