/**
 * @file texture.c
 * @brief Texture objects, and the arrays that they may read.
 */
#include "api.h"

#define PITCH_STEP 32 /**< texturePitchAlignment (bytes) */

/** Rows of texels in device memory; its place among others is up to us. */
struct cudaArray {
    char *data;
    struct cudaChannelFormatDesc desc;
    size_t width, height, pitch;
};

struct cudaChannelFormatDesc
sim_create_channel_desc(int x, int y, int z, int w,
                        enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/** Channels that are all as wide: how many? 0: these are no texels. */
static int channels_of(const struct cudaChannelFormatDesc *d)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    int count = 0;
    while (count < 4 && bits[count])
        count++;
    bool fine = count == 1 || count == 2 || count == 4;
    for (int c = 0; c < 4; c++)
        fine &= bits[c] == (c < count ? d->x : 0);
    fine &= d->x == 8 || d->x == 16 || d->x == 32;
    fine &= d->f <= cudaChannelFormatKindFloat &&
            (d->f != cudaChannelFormatKindFloat || d->x > 8);
    return fine ? count : 0;
}

/* ---- arrays -------------------------------------------------------------- */

cudaError_t cudaMallocArray(cudaArray_t *array,
                            const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    int channels = channels_of(desc);
    *array = NULL;
    RETURN_IF(!channels, cudaErrorInvalidChannelDescriptor);
    RETURN_IF(flags, cudaErrorNotSupported);
    size_t pitch = width * sim_texel_bytes(channels, desc->x);
    char *data = width ? sim_allocate(pitch * (height ? height : 1),
                                      BUFFER_DEVICE, NULL, 0)
                       : NULL;
    if (!data)
        return sim_return(width ? cudaErrorMemoryAllocation
                                : cudaErrorInvalidValue);
    *array = sim_new(sizeof **array);
    **array =
        (struct cudaArray){data, *desc, width, height ? height : 1, pitch};
    return sim_return(cudaSuccess);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    cudaError_t error = array ? cudaFree(array->data) : cudaSuccess;
    free(array);
    return error;
}

/** The place of a rectangle in an array; NULL: it is not all inside. */
static char *inside(cudaArray_t a, size_t x, size_t y, size_t width,
                    size_t height)
{
    bool fits = a && x <= a->pitch && width <= a->pitch - x && y <= a->height &&
                height <= a->height - y;
    return fits ? a->data + y * a->pitch + x : NULL;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y,
                                const void *from, size_t from_pitch,
                                size_t width, size_t height,
                                enum cudaMemcpyKind kind)
{
    char *place = inside(to, x, y, width, height);
    RETURN_IF(!place, cudaErrorInvalidValue);
    return cudaMemcpy2D(place, to->pitch, from, from_pitch, width, height,
                        kind);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_t from,
                                  size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
    char *place = inside(from, x, y, width, height);
    RETURN_IF(!place, cudaErrorInvalidValue);
    return cudaMemcpy2D(to, to_pitch, place, from->pitch, width, height, kind);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y,
                              const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    size_t place = y * (to ? to->pitch : 0) + x; /* goes on in the next row */
    RETURN_IF(!to || place > to->pitch * to->height ||
                  bytes > to->pitch * to->height - place,
              cudaErrorInvalidValue);
    return cudaMemcpy(to->data + place, from, bytes, kind);
}

/* ---- objects ------------------------------------------------------------- */

/** Where the texels are. @return false: not of a kind that is here */
static bool find_texels(const struct cudaResourceDesc *r, sim_texture_object *t,
                        struct cudaChannelFormatDesc *desc)
{
    switch (r->resType) {
    case cudaResourceTypeArray: {
        cudaArray_t a = r->res.array.array;
        if (!a)
            return false;
        *desc = a->desc;
        t->data = a->data;
        t->size[0] = (int64_t)a->width;
        t->size[1] = (int64_t)a->height;
        t->pitch = a->pitch;
        return true;
    }
    case cudaResourceTypeLinear:
        *desc = r->res.linear.desc;
        t->data = r->res.linear.devPtr;
        t->size[0] = (int64_t)r->res.linear.sizeInBytes; /* made texels below */
        t->size[1] = 1;
        return true;
    case cudaResourceTypePitch2D:
        *desc = r->res.pitch2D.desc;
        t->data = r->res.pitch2D.devPtr;
        t->size[0] = (int64_t)r->res.pitch2D.width;
        t->size[1] = (int64_t)r->res.pitch2D.height;
        t->pitch = r->res.pitch2D.pitchInBytes;
        return t->pitch % PITCH_STEP == 0;
    default:
        return false;
    }
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view)
{
    struct cudaChannelFormatDesc desc;
    sim_texture_object t = {.linear =
                                texture->filterMode == cudaFilterModeLinear,
                            .normalized = texture->normalizedCoords};
    RETURN_IF(view || texture->sRGB ||
                  resource->resType == cudaResourceTypeMipmappedArray,
              cudaErrorNotSupported);
    RETURN_IF(!find_texels(resource, &t, &desc), cudaErrorInvalidValue);
    t.channels = channels_of(&desc);
    t.bits = desc.x;
    t.kind = desc.f;
    RETURN_IF(!t.channels, cudaErrorInvalidChannelDescriptor);
    if (resource->resType == cudaResourceTypeLinear)
        t.size[0] /= (int64_t)sim_texel_bytes(t.channels, t.bits);
    size_t extent = t.pitch * (size_t)(t.size[1] - 1) +
                    (size_t)t.size[0] * sim_texel_bytes(t.channels, t.bits);
    RETURN_IF(t.size[0] <= 0 || t.size[1] <= 0 ||
                  !sim_is_device(t.data, extent),
              cudaErrorInvalidValue);
    bool is_float = t.kind == cudaChannelFormatKindFloat;
    t.to_float = texture->readMode == cudaReadModeNormalizedFloat && !is_float;
    RETURN_IF(t.to_float && t.bits == 32, cudaErrorInvalidNormSetting);
    RETURN_IF(t.linear && !t.to_float && !is_float,
              cudaErrorInvalidFilterSetting);
    for (int axis = 0; axis < 2; axis++)
        t.outside[axis] = texture->addressMode[axis];
    for (int c = 0; c < 4; c++)
        t.border[c] = texture->borderColor[c];
    sim_texture_object *kept = sim_new(sizeof *kept);
    *kept = t;
    *object = (cudaTextureObject_t)(uintptr_t)kept;
    return sim_return(cudaSuccess);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    free((void *)(uintptr_t)object);
    return sim_return(cudaSuccess);
}
