#include "cases.h"
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

// feature: <cmath>, <cstdint>, <cfloat>, <climits>, <vector>, <algorithm>
// beside kernels

__global__ void limits(float *f, int64_t *i)
{
    f[0] = FLT_MAX;
    f[1] = std::fabs(-2.5f) + std::sqrt(4.0f) + floor(1.5);
    f[2] = isnan(f[0] - f[0]) || isinf(f[0] * 2) ? 1.0f : 0.0f;
    i[0] = INT_MAX + INT64_C(1);
    i[1] = max(3, 5) + min(2u, 7u) + abs(-4);
}

CASE(standard_headers)
{
    std::vector<float> h(3);
    float *f = shared_zeros<float>(3);
    int64_t *i = shared_zeros<int64_t>(2);
    limits<<<1, 1>>>(f, i);
    CHECK_CUDA(cudaDeviceSynchronize());
    std::copy(f, f + 3, h.begin());
    CHECK(h[0] == FLT_MAX && h[1] == 5.5f && h[2] == 1.0f);
    CHECK(i[0] == 2147483648ll && i[1] == 11);
    CHECK(std::string("ab") + "c" == "abc");
}
