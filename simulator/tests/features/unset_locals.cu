// feature: a local variable that nothing has set is NaN, or a large number
// counted only: g++ before 12 cannot

#include "check.h"
#include <math.h>

__global__ void forget(const float *in, float *out, int *number)
{
    float sum; // = 0 is missing
    for (int i = 0; i < 4; i++)
        sum += in[i];
    out[0] = sum;
    float array[4];
    array[(int)in[0]] = 1;
    out[1] = array[(int)in[1]];
    int count; // so is this one
    if (in[0] > 1)
        count = 0;
    *number = count;
}

int main()
{
    float *in = shared_zeros<float>(4), *out = shared_zeros<float>(2);
    int *number = shared_zeros<int>(1);
    in[1] = 1;
    forget<<<1, 1>>>(in, out, number);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(isnan(out[0]));
    CHECK(isnan(out[1]));
    CHECK_EQUAL(*number, (int)0xaaaaaaaa);
    return check_result();
}
