// refuse: cuda_fp16
#include <cuda_fp16.h>
__global__ void scale(__half *x)
{
    x[0] = __hmul(x[0], x[0]);
}
int main()
{
    return 0;
}
