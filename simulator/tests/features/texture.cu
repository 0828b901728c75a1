#include "cases.h"

#include <math.h>

// Textures: what lies between two texels and outside of all, by the formulas of
// the CUDA C++ Programming Guide.

static cudaTextureDesc description(cudaTextureAddressMode outside,
                                   cudaTextureFilterMode filter,
                                   bool normalized, cudaTextureReadMode read)
{
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = outside;
    d.filterMode = filter;
    d.normalizedCoords = normalized;
    d.readMode = read;
    return d;
}

/** An array of rows of w numbers. */
template <class T>
static cudaArray_t array_of(const T *texels, int w, int h)
{
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    CHECK_CUDA(cudaMallocArray(&array, &desc, w, h));
    CHECK_CUDA(cudaMemcpy2DToArray(array, 0, 0, texels, w * sizeof(T),
                                   w * sizeof(T), h ? h : 1,
                                   cudaMemcpyHostToDevice));
    return array;
}

static cudaTextureObject_t object_of(cudaArray_t array, cudaTextureDesc d)
{
    cudaTextureObject_t object = 0;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK_CUDA(cudaCreateTextureObject(&object, &r, &d, NULL));
    return object;
}

template <class T>
__global__ void look(cudaTextureObject_t picture, float x, float y, T *out)
{
    *out = tex2D<T>(picture, x, y);
}

template <class T>
static T at(cudaTextureObject_t picture, float x, float y)
{
    T *out = zeros<T>(1);
    look<<<1, 1>>>(picture, x, y, out);
    return fetch(out);
}

// feature: textures of linear memory: tex1Dfetch; outside of it is 0

__global__ void fetch_all(cudaTextureObject_t words, int4 *out)
{
    int4 value;
    tex1Dfetch(&value, words, (int)threadIdx.x - 1);
    out[threadIdx.x] = value;
}

CASE(texture_linear_memory)
{
    int *words = zeros<int>(32), h[32];
    int4 *out = room<int4>(10);
    for (int i = 0; i < 32; i++)
        h[i] = i - 5;
    cudaMemcpy(words, h, sizeof h, cudaMemcpyHostToDevice);
    cudaTextureObject_t object;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = words;
    r.res.linear.desc = cudaCreateChannelDesc<int4>();
    r.res.linear.sizeInBytes = sizeof h;
    CHECK_CUDA(cudaCreateTextureObject(&object, &r, &d, NULL));
    fetch_all<<<1, 10>>>(object, out);
    CHECK_EQUAL(fetch(out).w, 0);
    CHECK_EQUAL(fetch(out + 1).x, -5);
    CHECK_EQUAL(fetch(out + 8).w, 26);
    CHECK_EQUAL(fetch(out + 9).x, 0);
    CHECK_CUDA(cudaDestroyTextureObject(object));
}

// feature: textures of arrays: tex1D, tex2D; clamp, border, wrap, mirror

CASE(texture_outside)
{
    const float texels[6] = {1, 2, 3, 4, 5, 6};
    cudaArray_t array = array_of(texels, 3, 2);
    const cudaTextureFilterMode point = cudaFilterModePoint;
    const cudaTextureReadMode plain = cudaReadModeElementType;
    cudaTextureObject_t clamp = object_of(
        array, description(cudaAddressModeClamp, point, false, plain));
    CHECK_EQUAL(at<float>(clamp, 0, 0), 1);
    CHECK_EQUAL(at<float>(clamp, 2.9f, 1.1f), 6);
    CHECK_EQUAL(at<float>(clamp, -7, 9), 4);
    cudaTextureObject_t border = object_of(
        array, description(cudaAddressModeBorder, point, false, plain));
    CHECK_EQUAL(at<float>(border, 1.5f, 1.5f), 5);
    CHECK_EQUAL(at<float>(border, 3, 1), 0);
    cudaTextureObject_t wrap =
        object_of(array, description(cudaAddressModeWrap, point, true, plain));
    CHECK_EQUAL(at<float>(wrap, 0.5f, 0.25f), 2);
    CHECK_EQUAL(at<float>(wrap, 1.2f, -0.25f), 4);
    cudaTextureObject_t mirror = object_of(
        array, description(cudaAddressModeMirror, point, true, plain));
    CHECK_EQUAL(at<float>(mirror, 1.2f, 0), 3);
    CHECK_EQUAL(at<float>(mirror, -0.1f, 0), 1);
    float back[4];
    CHECK_CUDA(cudaMemcpy2DFromArray(back, 8, array, 4, 0, 8, 2,
                                     cudaMemcpyDeviceToHost));
    CHECK_EQUAL(back[0] + 10 * back[3], 62);
    CHECK_CUDA(cudaFreeArray(array));
}

// feature: textures: a linear filter with 8 bits between two texels; bytes as
// numbers from 0 to 1; rows with a pitch

__global__ void along(cudaTextureObject_t line, float x, float *out)
{
    *out = tex1D<float>(line, x);
}

CASE(texture_filter)
{
    const float texels[4] = {0, 256, 1024, 0};
    const cudaTextureFilterMode linear = cudaFilterModeLinear;
    float *out = room<float>(1);
    cudaTextureObject_t line = object_of(
        array_of(texels, 4, 0), description(cudaAddressModeClamp, linear, false,
                                            cudaReadModeElementType));
    const float places[][2] = {{1.5f, 256}, {1, 128},    {1.25f, 192},
                               {0.2f, 0},   {0.501f, 0}, {0.5f + 1.6f / 256, 2},
                               {2, 640},    {9, 0}};
    for (const float *place : places) {
        along<<<1, 1>>>(line, place[0], out);
        CHECK_EQUAL(fetch(out), place[1]);
    }
    uchar4 *rows, h[2][2] = {{{0, 0, 0, 255}, {255, 51, 0, 255}},
                             {{0, 0, 0, 255}, {255, 51, 0, 255}}};
    size_t pitch;
    CHECK_CUDA(cudaMallocPitch((void **)&rows, &pitch, sizeof h[0], 2));
    CHECK_CUDA(cudaMemcpy2D(rows, pitch, h, sizeof h[0], sizeof h[0], 2,
                            cudaMemcpyHostToDevice));
    cudaTextureObject_t object;
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = rows;
    r.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    r.res.pitch2D.width = r.res.pitch2D.height = 2;
    r.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc d = description(cudaAddressModeClamp, linear, false,
                                    cudaReadModeNormalizedFloat);
    CHECK_CUDA(cudaCreateTextureObject(&object, &r, &d, NULL));
    float4 middle = at<float4>(object, 1, 1);
    CHECK_EQUAL(middle.x, 0.5f);
    CHECK(fabsf(middle.y - 0.1f) < 1e-6f);
    CHECK_EQUAL(middle.w, 1);
    d.readMode = cudaReadModeElementType;
    CHECK_EQUAL(cudaCreateTextureObject(&object, &r, &d, NULL),
                cudaErrorInvalidFilterSetting);
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidFilterSetting);
}
