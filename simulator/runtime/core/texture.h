/**
 * @file texture.h
 * @brief What a texture object stands for.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/texture_types.h"

typedef struct {
    const char *data; /**< in device memory */
    int64_t size[2];  /**< texels of a row; rows, 1 of one dimension */
    size_t pitch;     /**< from row to row (bytes) */
    int channels;
    int bits; /**< of a channel */
    enum cudaChannelFormatKind kind;
    enum cudaTextureAddressMode outside[2];
    bool linear;     /**< neighbours are mixed */
    bool normalized; /**< coordinates from 0 to 1 */
    bool to_float;   /**< integers become numbers from 0 or -1 to 1 */
    float border[4];
} sim_texture_object;

/** Bytes of a texel. */
static inline size_t sim_texel_bytes(int channels, int bits)
{
    return (size_t)(channels * bits) / 8;
}

/** The running lane reads a texel: it is checked, and not counted. */
void sim_hook_texture(const void *p, size_t bytes, uint32_t site);

#endif
