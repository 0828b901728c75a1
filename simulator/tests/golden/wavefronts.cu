/**
 * @file wavefronts.cu
 * @brief Repeats the accesses of global_wavefronts.csv, one launch a row.
 *
 * Usage: wavefronts FILE. A row of it: load or store, bytes of a lane, address
 * of the buffer modulo 4 GiB, 32 offsets in bytes (-1: the lane is inactive).
 *
 * Tag banks depend on the lower 32 bits of an address, so the buffer must lie
 * where it lay on the GPU. The simulator hands out addresses in ascending
 * order, at multiples of 2 MiB: buffers that are freed again lead there.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BUFFER (2ull << 30)   /**< bytes; the largest offset is just below */
#define STEP (2ull << 20)     /**< between two places for a buffer (bytes) */
#define STRIDE (256ull << 20) /**< most of them that are taken at once */
#define GAP (64ull << 10)     /**< that the simulator leaves behind a buffer */

/** Byte offsets of the lanes. */
struct row {
    long long at[32];
};

template <typename T>
__global__ void load(const char *base, row r, T *out)
{
    long long offset = r.at[threadIdx.x];
    if (offset >= 0) {
        T value = *(const T *)(base + offset); // golden: load
        out[threadIdx.x] = value;
    }
}

template <typename T>
__global__ void store(char *base, row r, T value)
{
    long long offset = r.at[threadIdx.x];
    if (offset >= 0)
        *(T *)(base + offset) = value; // golden: store
}

/** Address of a buffer of @p bytes that is freed at once, modulo 4 GiB. */
static uint32_t touch(size_t bytes)
{
    void *p = NULL;
    cudaMalloc(&p, bytes);
    cudaFree(p);
    return (uint32_t)(uintptr_t)p;
}

/** A buffer that begins at @p base modulo 4 GiB; NULL: no memory. */
static char *buffer_at(uint32_t base)
{
    uint32_t left = base - (touch(1) + (uint32_t)STEP);
    while (left) {
        uint32_t part = left < STRIDE ? left : (uint32_t)STRIDE;
        touch(part - GAP);
        left -= part;
    }
    char *p = NULL;
    return cudaMalloc((void **)&p, BUFFER) == cudaSuccess ? p : NULL;
}

template <typename T>
static bool launch(const char *operation, char *base, const row &r)
{
    static T *out;
    if (!out)
        cudaMalloc((void **)&out, 32 * sizeof(T));
    if (!strcmp(operation, "load"))
        load<T><<<1, 32>>>(base, r, out);
    else
        store<T><<<1, 32>>>(base, r, T());
    return cudaDeviceSynchronize() == cudaSuccess;
}

int main(int argc, char **argv)
{
    FILE *rows = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!rows) {
        fprintf(stderr, "usage: wavefronts FILE\n");
        return 2;
    }
    char operation[16];
    int bytes;
    unsigned base;
    char *buffer = NULL;
    while (fscanf(rows, "%15s %d %u", operation, &bytes, &base) == 3) {
        row r;
        for (int lane = 0; lane < 32; lane++)
            if (fscanf(rows, "%lld", &r.at[lane]) != 1)
                return 2;
        if ((uint32_t)(uintptr_t)buffer != base) {
            cudaFree(buffer);
            buffer = buffer_at(base);
        }
        if ((uint32_t)(uintptr_t)buffer != base) {
            fprintf(stderr, "no buffer of 2 GiB at %#x\n", base);
            return 3;
        }
        bool good = bytes == 4   ? launch<int>(operation, buffer, r)
                    : bytes == 8 ? launch<int2>(operation, buffer, r)
                                 : launch<int4>(operation, buffer, r);
        if (!good)
            return 1;
    }
    fclose(rows);
    return 0;
}
