/**
 * @file texture.c
 * @brief Reads through a texture: coordinates, filter, what lies outside.
 *
 * By the formulas of the CUDA C++ Programming Guide, "Texture Fetching". The
 * fraction between two texels has 8 bits there, and so here.
 */
#include "inside.h"

#define STEPS 256.0f /**< between two texels */

/** The texel of an axis; -1: the border. */
static int64_t place_of(const sim_texture_object *t, int axis, int64_t i)
{
    int64_t n = t->size[axis];
    enum cudaTextureAddressMode mode = t->outside[axis];
    if (i >= 0 && i < n)
        return i;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (t->normalized && mode == cudaAddressModeWrap)
        return (i % n + n) % n;
    if (t->normalized && mode == cudaAddressModeMirror) {
        int64_t at = (i % (2 * n) + 2 * n) % (2 * n);
        return at < n ? at : 2 * n - 1 - at;
    }
    return i < 0 ? 0 : n - 1;
}

/** A texel in memory; NULL: the border. */
static const char *texel(const sim_texture_object *t, int64_t col, int64_t row,
                         uint32_t site)
{
    size_t bytes = sim_texel_bytes(t->channels, t->bits);
    int64_t x = place_of(t, 0, col), y = place_of(t, 1, row);
    if (x < 0 || y < 0)
        return NULL;
    const char *p = t->data + (size_t)y * t->pitch + (size_t)x * bytes;
    sim_hook_texture(p, bytes, site);
    return p;
}

/** A channel as a float. */
static float channel(const sim_texture_object *t, const char *p, int c)
{
    if (!p)
        return t->border[c];
    p += c * t->bits / 8;
    uint32_t word = 0;
    memcpy(&word, p, (size_t)t->bits / 8);
    if (t->kind == cudaChannelFormatKindFloat)
        return t->bits == 16 ? sim_small_value(SIM_HALF, (uint16_t)word)
                             : sim_float_of(word);
    double top = ldexp(1.0, t->bits - (t->kind == cudaChannelFormatKindSigned));
    if (t->kind == cudaChannelFormatKindUnsigned)
        return (float)(word / (top - 1));
    double value = t->bits == 8    ? (int8_t)word
                   : t->bits == 16 ? (int16_t)word
                                   : (int32_t)word;
    return (float)fmax(value / (top - 1), -1.0);
}

/** Between two texels of an axis: the lower one, and how far from it. */
static int64_t between(float x, float *fraction)
{
    float low = floorf(x - 0.5f);
    *fraction = floorf((x - 0.5f - low) * STEPS + 0.5f) / STEPS;
    return (int64_t)low;
}

static void mixed(const sim_texture_object *t, int dimensions, float x, float y,
                  float *value, uint32_t site)
{
    float a = 0.0f, b = 0.0f;
    int64_t col = between(x, &a), row = dimensions > 1 ? between(y, &b) : 0;
    memset(value, 0, 4 * sizeof *value);
    for (int corner = 0; corner < 2 * dimensions; corner++) {
        const char *p = texel(t, col + corner % 2, row + corner / 2, site);
        float weight = (corner % 2 ? a : 1 - a) * (corner / 2 ? b : 1 - b);
        for (int c = 0; c < t->channels; c++)
            value[c] += weight * channel(t, p, c);
    }
}

void sim_texture(cudaTextureObject_t object, int dimensions, int index, float x,
                 float y, void *value, size_t bytes, unsigned site)
{
    const sim_texture_object *t = (const sim_texture_object *)object;
    float values[4] = {0.0f};
    memset(value, 0, bytes);
    if (t->normalized && dimensions) {
        x *= (float)t->size[0];
        y *= (float)t->size[1];
    }
    if (t->linear && dimensions) {
        mixed(t, dimensions, x, y, values, site);
    } else {
        int64_t col = dimensions ? (int64_t)floorf(x) : index;
        int64_t row = dimensions > 1 ? (int64_t)floorf(y) : 0;
        if (!dimensions && (col < 0 || col >= t->size[0]))
            return; /* of linear memory nothing lies outside: 0 */
        const char *p = texel(t, col, row, site);
        bool whole = !t->to_float && t->kind != cudaChannelFormatKindFloat;
        if (whole && p)
            memcpy(value, p, bytes);
        if (whole)
            return;
        for (int c = 0; c < t->channels; c++)
            values[c] = channel(t, p, c);
    }
    memcpy(value, values, bytes < sizeof values ? bytes : sizeof values);
}
