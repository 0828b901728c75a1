// feature: sinf, expf, powf, rsqrtf ... and __sinf, __expf, __fdividef ...

#include "check.h"
#include <math.h>

__global__ void functions(float x, float *out)
{
    out[0] = sinf(x);
    out[1] = cosf(x);
    out[2] = expf(x);
    out[3] = logf(x);
    out[4] = powf(x, 1.5f);
    out[5] = rsqrtf(x);
    out[6] = tanhf(x);
    out[7] = erff(x);
    out[8] = exp2f(x);
    out[9] = log2f(x);
    out[10] = __sinf(x);
    out[11] = __cosf(x);
    out[12] = __expf(x);
    out[13] = __logf(x);
    out[14] = __powf(x, 1.5f);
    out[15] = __fdividef(x, 3.0f);
    out[16] = hypotf(x, 1.0f);
    out[17] = cbrtf(x);
    out[18] = atan2f(x, 2.0f);
    sincosf(x, &out[19], &out[20]);
    out[21] = __frsqrt_rn(x);
    out[22] = __fsqrt_rn(x);
    out[23] = __saturatef(x);
}

int main()
{
    float *out = shared_zeros<float>(24);
    double x = 0.75;
    functions<<<1, 1>>>((float)x, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    const double expected[] = {
        sin(x),      cos(x), exp(x),      log(x),      pow(x, 1.5), 1 / sqrt(x),
        tanh(x),     erf(x), exp2(x),     log2(x),     sin(x),      cos(x),
        exp(x),      log(x), pow(x, 1.5), x / 3,       hypot(x, 1), cbrt(x),
        atan2(x, 2), sin(x), cos(x),      1 / sqrt(x), sqrt(x),     x};
    for (int i = 0; i < 24; i++)
        CHECK(fabs(out[i] - expected[i]) < 1e-5 * fabs(expected[i]));
    return check_result();
}
