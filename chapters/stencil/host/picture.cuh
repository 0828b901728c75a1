/**
 * @file picture.cuh
 * @brief A hot ball after the steps, as a picture of one plane of the box.
 */

/** 1 in a ball in the middle, 0 around it. */
static float start_value(box b, int x, int y, int z)
{
    double least = fmin(b.nx, fmin(b.ny, b.nz));
    double dx = x - (b.nx - 1) / 2.0, dy = y - (b.ny - 1) / 2.0;
    double dz = z - (b.nz - 1) / 2.0;
    return sqrt(dx * dx + dy * dy + dz * dz) <= 0.3 * least ? 1.0f : 0.0f;
}

/** The ball in all of `in`, on the device; @p plane: memory for one. */
static void set_ball(const stencil *s, float *in, float *plane)
{
    const box b = s->b;
    size_t cells = (size_t)b.ny * (size_t)b.pitch;
    for (int z = 0; z < b.nz; z++) {
        for (int y = 0; y < b.ny; y++)
            for (int x = 0; x < b.pitch; x++)
                plane[(int64_t)y * b.pitch + x] = start_value(b, x, y, z);
        CUDA_CHECK(cudaMemcpy(in + at(b, 0, 0, z), plane, cells * sizeof(float),
                              cudaMemcpyHostToDevice));
    }
}

/** Black, red, yellow, white: 0 to 1; @p part 0 red, 1 green, 2 blue. */
static uint8_t colour(float heat, int part)
{
    double level = 3.0 * heat - part;
    return (uint8_t)(255 * fmin(fmax(level, 0.0), 1.0) + 0.5);
}

/** The plane in colour, y upwards; free() its samples. */
static picture picture_of_plane(box b, const float *plane)
{
    uint8_t *samples = (uint8_t *)host_alloc((size_t)b.nx * (size_t)b.ny * 3);
    uint8_t *next = samples;
    for (int y = b.ny - 1; y >= 0; y--)
        for (int x = 0; x < b.nx; x++)
            for (int part = 0; part < 3; part++)
                *next++ = colour(plane[(int64_t)y * b.pitch + x], part);
    return (picture){b.nx, b.ny, 3, samples};
}

/** Run @p steps on a hot ball and write plane nz / 2 of what comes of it. */
static void picture_of_heat(const stencil *asked, void (*steps)(const void *),
                            const char *path)
{
    stencil s = *asked;
    size_t plane_bytes = (size_t)s.b.ny * (size_t)s.b.pitch * sizeof(float);
    size_t bytes = plane_bytes * (size_t)s.b.nz;
    float *plane = (float *)host_alloc(plane_bytes);
    float *in = (float *)device_alloc(bytes);
    s.in = in;
    s.out = (float *)device_alloc(bytes);
    s.other = (float *)device_alloc(bytes);
    set_ball(&s, in, plane);
    steps(&s);
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    CUDA_CHECK(cudaMemcpy(plane, s.out + at(s.b, 0, 0, s.b.nz / 2), plane_bytes,
                          cudaMemcpyDeviceToHost));
    picture p = picture_of_plane(s.b, plane);
    picture_write("--out", path, &p);
    printf("  picture    %s: plane z=%d, %d x %d\n", path, s.b.nz / 2, s.b.nx,
           s.b.ny);
    device_free(s.other);
    device_free(s.out);
    device_free(in);
    free(p.samples);
    free(plane);
}
