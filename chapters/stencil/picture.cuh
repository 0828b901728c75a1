/**
 * @file picture.cuh
 * @brief A hot ball after the steps, as a picture: PNG, one plane of the box.
 *
 * A PNG is a signature and chunks: length, four letters, bytes, a checksum.
 * IHDR says the size, IDAT holds the rows, IEND ends it. The rows are in the
 * format of zlib, here without compression.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define STORED 65535 /**< bytes of one block of zlib's without compression */
#define MAX_PICTURE 32768 /**< pixels of a row or column, at most */

/* ---- PNG ----------------------------------------------------------------- */

/** Bytes of a chunk as they are collected. */
typedef struct {
    unsigned char *bytes;
    size_t count;
} bytes_list;

static void put(bytes_list *l, const void *bytes, size_t count)
{
    memcpy(l->bytes + l->count, bytes, count);
    l->count += count;
}

/** The highest byte first, as in all numbers of a PNG. */
static void put_u32(bytes_list *l, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        l->bytes[l->count++] = (unsigned char)(value >> shift);
}

/** CRC-32 of PNG, bit by bit. */
static uint32_t crc32_of(const unsigned char *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/** Adler-32 of zlib. */
static uint32_t adler32_of(const unsigned char *bytes, size_t count)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/** Length, letters, bytes; the checksum is of letters and bytes. */
static void put_chunk(bytes_list *file, const char *letters,
                      const bytes_list *data)
{
    put_u32(file, (uint32_t)data->count);
    size_t begin = file->count;
    put(file, letters, 4);
    put(file, data->bytes, data->count);
    put_u32(file, crc32_of(file->bytes + begin, data->count + 4));
}

/** @p count bytes in zlib's format, without compression. */
static void put_zlib(bytes_list *l, const unsigned char *bytes, size_t count)
{
    const unsigned char head[2] = {0x78, 0x01};
    put(l, head, 2);
    for (size_t i = 0; i < count; i += STORED) {
        size_t n = count - i < STORED ? count - i : STORED;
        const unsigned char block[5] = {
            (unsigned char)(i + n == count), // is it the last one?
            (unsigned char)n, (unsigned char)(n >> 8), (unsigned char)~n,
            (unsigned char)(~n >> 8)};
        put(l, block, 5);
        put(l, bytes + i, n);
    }
    put_u32(l, adler32_of(bytes, count));
}

/** A list with room for @p size bytes; free its bytes. */
static bytes_list list_of(size_t size)
{
    return (bytes_list){(unsigned char *)host_alloc(size), 0};
}

/** @p rows: a 0 (no filter) and 3 bytes a pixel, for each row. */
static bytes_list png(const unsigned char *rows, int width, int height)
{
    const unsigned char kind[5] = {8, 2, 0, 0, 0}; // 8 bits, red green blue
    size_t count = ((size_t)width * 3 + 1) * (size_t)height;
    size_t most = count + (count / STORED + 1) * 5 + 256;
    bytes_list file = list_of(2 * most), data = list_of(most);
    put(&file, "\x89PNG\r\n\x1a\n", 8);
    put_u32(&data, (uint32_t)width);
    put_u32(&data, (uint32_t)height);
    put(&data, kind, 5);
    put_chunk(&file, "IHDR", &data);
    data.count = 0;
    put_zlib(&data, rows, count);
    put_chunk(&file, "IDAT", &data);
    data.count = 0;
    put_chunk(&file, "IEND", &data);
    free(data.bytes);
    return file;
}

/* ---- the file ------------------------------------------------------------ */

/** Where the file grows until it is whole; free it. */
static char *part_of(const char *path)
{
    char *part = (char *)host_alloc(strlen(path) + sizeof(".part"));
    strcpy(part, path);
    return strcat(part, ".part");
}

/** Write the file whole, or leave what was there; say why and exit(2). */
static void write_file(const char *path, const void *bytes, size_t count)
{
    char *part = part_of(path);
    FILE *file = fopen(part, "wb");
    bool ok = file && fwrite(bytes, 1, count, file) == count;
    ok = file && fclose(file) == 0 && ok;
    ok = ok && rename(part, path) == 0;
    int why = errno;
    if (!ok && file)
        remove(part);
    REQUIRE(ok, "--out %s: cannot be written: %s", path, strerror(why));
    free(part);
}

/** Refuse a picture that could not be written, before the long run. */
static void picture_require(const char *path)
{
    struct stat old;
    REQUIRE(problem.b.nx <= MAX_PICTURE && problem.b.ny <= MAX_PICTURE,
            "--out: a picture of %d x %d cells; allowed are up to %d x %d",
            problem.b.nx, problem.b.ny, MAX_PICTURE, MAX_PICTURE);
    REQUIRE(*path, "--out: its value is empty");
    REQUIRE(stat(path, &old) != 0 || S_ISREG(old.st_mode),
            "--out %s: this is no regular file", path);
    char *part = part_of(path);
    FILE *file = fopen(part, "wb");
    REQUIRE(file, "--out %s: cannot be written: %s", path, strerror(errno));
    fclose(file);
    remove(part);
    free(part);
}

/* ---- heat ---------------------------------------------------------------- */

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
static unsigned char colour(float heat, int part)
{
    double level = 3.0 * heat - part;
    return (unsigned char)(255 * fmin(fmax(level, 0.0), 1.0) + 0.5);
}

/** The plane as a PNG in a file; y grows upwards. */
static void write_plane(box b, const float *plane, const char *path)
{
    size_t row_bytes = (size_t)b.nx * 3 + 1;
    unsigned char *rows = (unsigned char *)host_alloc(row_bytes * (size_t)b.ny);
    unsigned char *p = rows;
    for (int y = b.ny - 1; y >= 0; y--) {
        *p++ = 0; // no filter
        for (int x = 0; x < b.nx; x++)
            for (int part = 0; part < 3; part++)
                *p++ = colour(plane[(int64_t)y * b.pitch + x], part);
    }
    bytes_list file = png(rows, b.nx, b.ny);
    write_file(path, file.bytes, file.count);
    free(file.bytes);
    free(rows);
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
    write_plane(s.b, plane, path);
    printf("  picture    %s: plane z=%d, %d x %d\n", path, s.b.nz / 2, s.b.nx,
           s.b.ny);
    device_free(s.other);
    device_free(s.out);
    device_free(in);
    free(plane);
}
