/**
 * @file picture.cuh
 * @brief Pictures as float32: what is read, drawn, and made of a result.
 *
 * A pixel is its grey from 0 (black) to 255 (white); of a coloured one 0.299
 * red + 0.587 green + 0.114 blue (ITU-R BT.601). A result is rounded and what
 * is below 0 or above 255 is cut off; of a sobel filter the magnitude is shown.
 */

/** The grey of a pixel. */
static float grey_of(const picture *p, int row, int col)
{
    const uint8_t *at =
        p->samples + ((size_t)row * p->width + col) * p->channels;
    if (p->channels == 1)
        return at[0];
    return (299 * at[0] + 587 * at[1] + 114 * at[2]) / 1000.0f;
}

/** Without a file: a disc over a slope, stripes below, squares on the right. */
static float drawn_grey(int64_t width, int64_t height, int row, int col)
{
    double u = (double)col / width, v = (double)row / height;
    double from_middle = (u - 0.4) * (u - 0.4) + (v - 0.4) * (v - 0.4);
    if (v > 0.8)
        return (int)(400 * u * u) % 2 ? 230 : 20; // narrower and narrower
    if (u > 0.8)
        return ((int)(40 * u) + (int)(40 * v)) % 2 ? 200 : 60;
    return from_middle < 0.06 ? 250 : (float)(int)(40 + 120 * v);
}

/** A result, rows @p pitch apart, as a grey picture; free() its samples. */
static inline picture result_picture(const float *y, int width, int height,
                                     int pitch, bool magnitude)
{
    picture p = {width, height, 1,
                 (uint8_t *)host_alloc((size_t)width * height)};
    for (int row = 0; row < height; row++) {
        for (int col = 0; col < width; col++) {
            float value = y[(size_t)row * pitch + col];
            value = magnitude ? fabsf(value) : value;
            value = fminf(fmaxf(value + 0.5f, 0), 255);
            p.samples[(size_t)row * width + col] = (uint8_t)value;
        }
    }
    return p;
}
