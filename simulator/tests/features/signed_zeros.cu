// feature: of two zeros fmaxf takes +0 and fminf takes -0
// counted only: C leaves it open, and the processor takes either

#include "check.h"
#include <math.h>

__global__ void extremes(const float *x, const double *d, float *out)
{
    out[0] = 1 / fmaxf(-x[0], x[0]);
    out[1] = 1 / fmaxf(x[0], -x[0]);
    out[2] = 1 / fminf(x[0], -x[0]);
    out[3] = 1 / fminf(-x[0], x[0]);
    out[4] = (float)(1 / fmax(-d[0], d[0]));
    out[5] = (float)(1 / min(d[0], -d[0]));
    out[6] = fmaxf(x[1], 3.0f);
    out[7] = fminf(-3.0f, x[1]);
}

int main()
{
    float *x = shared_zeros<float>(2), *out = shared_zeros<float>(8);
    double *d = shared_zeros<double>(1);
    x[1] = NAN;
    extremes<<<1, 1>>>(x, d, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    const float expected[] = {INFINITY, INFINITY,  -INFINITY, -INFINITY,
                              INFINITY, -INFINITY, 3,         -3};
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(out[i], expected[i]);
    return check_result();
}
