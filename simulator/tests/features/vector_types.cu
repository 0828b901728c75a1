#include "cases.h"

// feature: float2, float4, int4, uchar4, double2 ...: members, make_, alignment

struct pixel {
    uchar4 colour;
    float2 place;
};

__global__ void vectors(const float4 *in, float4 *out, double2 *d, int4 *i,
                        pixel *p, short2 *s, uint3 *u)
{
    int t = threadIdx.x;
    float4 v = in[t];
    v.x += v.w;
    float *second = &v.y;
    *second *= 2;
    out[t] = v;
    d[t] = make_double2(v.x, v.y);
    i[t] = make_int4(t, -t, (int)v.z, 7);
    p[t].colour = make_uchar4(t, t + 1, t + 2, 255);
    p[t].place = make_float2(0.5f, t);
    s[t] = make_short2(-1, (short)t);
    u[t] = make_uint3(1, 2, t);
}

CASE(vector_types)
{
    static_assert(sizeof(float3) == 12 && alignof(float4) == 16 &&
                      sizeof(double2) == 16 && alignof(float2) == 8 &&
                      sizeof(uchar4) == 4 && alignof(uchar4) == 4,
                  "as on a GPU");
    float4 *in = shared_zeros<float4>(32), *out = shared_zeros<float4>(32);
    double2 *d = shared_zeros<double2>(32);
    int4 *i = shared_zeros<int4>(32);
    pixel *p = shared_zeros<pixel>(32);
    short2 *s = shared_zeros<short2>(32);
    uint3 *u = shared_zeros<uint3>(32);
    for (int t = 0; t < 32; t++)
        in[t] = make_float4(t, t + 1, t + 2, t + 3);
    vectors<<<1, 32>>>(in, out, d, i, p, s, u);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 32; t++) {
        CHECK(out[t].x == 2 * t + 3 && out[t].y == 2 * t + 2);
        CHECK(out[t].z == t + 2 && out[t].w == t + 3);
        CHECK(d[t].x == 2 * t + 3 && i[t].y == -t && i[t].z == t + 2);
        CHECK(p[t].colour.w == 255 && p[t].place.y == t);
        CHECK(s[t].x == -1 && u[t].z == (unsigned)t);
    }
}
