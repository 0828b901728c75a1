/**
 * @file texture_types.h
 * @brief Textures of one and two dimensions: linear memory, rows with a pitch,
 * arrays of cudaMallocArray(). The types are valid C11 and C++17.
 *
 * How coordinates become texels: CUDA C++ Programming Guide, "Texture
 * Fetching". core/texture.c does it.
 */
#ifndef __TEXTURE_TYPES_H__
#define __TEXTURE_TYPES_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a texture is made of ------------------------------------------- */

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3
};

/** Bits of each channel of a texel; 0: it has none. */
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};

enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1, /**< not supported */
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3
};

struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
    } res;
};

/** What lies outside. Wrap and mirror: only with normalized coordinates. */
enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3
};

enum cudaTextureFilterMode {
    cudaFilterModePoint = 0,
    cudaFilterModeLinear = 1
};

enum cudaTextureReadMode {
    cudaReadModeElementType = 0,
    cudaReadModeNormalizedFloat = 1
};

struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB; /**< not supported */
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy; /**< this one and the rest: of mipmaps */
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap;
};

struct cudaResourceViewDesc;
typedef unsigned long long cudaTextureObject_t;

/* ---- host ---------------------------------------------------------------- */

struct cudaChannelFormatDesc
sim_create_channel_desc(int x, int y, int z, int w,
                        enum cudaChannelFormatKind kind);
cudaError_t cudaMallocArray(cudaArray_t *array,
                            const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y,
                                const void *from, size_t from_pitch,
                                size_t width, size_t height,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_t from,
                                  size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y,
                              const void *from, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);

/** A lane reads. @param dimensions  0: texel @p index of linear memory */
void sim_texture(cudaTextureObject_t object, int dimensions, int index, float x,
                 float y, void *value, size_t bytes, unsigned site);

#ifdef __cplusplus
} /* extern "C" */

static inline cudaError_t cudaMallocArray(cudaArray_t *array,
                                          const cudaChannelFormatDesc *desc,
                                          size_t width, size_t height = 0)
{
    return cudaMallocArray(array, desc, width, height, 0);
}

static inline cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return sim_create_channel_desc(x, y, z, w, kind);
}

/* ---- a type's channels, device ------------------------------------------- */

/** Is the first channel of a type a number with a sign, a float? */
template <class T, class = void>
struct sim_channel {
    typedef T type;
};
template <class T>
struct sim_channel<T, decltype((void)T::x)> {
    typedef decltype(T::x) type;
};

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef typename sim_channel<T>::type channel;
    int bits = 8 * sizeof(channel), count = sizeof(T) / sizeof(channel);
    cudaChannelFormatKind kind =
        (channel)0.5f != (channel)0 ? cudaChannelFormatKindFloat
        : (channel)-1 < (channel)0  ? cudaChannelFormatKindSigned
                                    : cudaChannelFormatKindUnsigned;
    return sim_create_channel_desc(bits, count > 1 ? bits : 0,
                                   count > 2 ? bits : 0, count > 3 ? bits : 0,
                                   kind);
}

/** A texel; the same with the result behind a pointer. */
#define SIM_TEXTURE(name, parameters, ...)                                     \
    template <class T>                                                         \
    SIM_INLINE T name parameters                                               \
    {                                                                          \
        T value;                                                               \
        sim_texture(object, __VA_ARGS__, &value, sizeof value, 0);             \
        return value;                                                          \
    }                                                                          \
    template <class T, class... At>                                            \
    SIM_INLINE void name(T *value, cudaTextureObject_t object, At... at)       \
    {                                                                          \
        *value = name<T>(object, at...);                                       \
    }
SIM_TEXTURE(tex1Dfetch, (cudaTextureObject_t object, int index), 0, index, 0, 0)
SIM_TEXTURE(tex1D, (cudaTextureObject_t object, float x), 1, 0, x, 0)
SIM_TEXTURE(tex2D, (cudaTextureObject_t object, float x, float y), 2, 0, x, y)
#undef SIM_TEXTURE
#endif

#endif
