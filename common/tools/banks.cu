/**
 * @file banks.cu
 * @brief Which banks of shared memory a warp meets, and what that costs.
 *
 * Shared memory has 32 banks, each 4 bytes wide; word w lies in bank w % 32.
 * In one wavefront each bank gives one word, to any number of lanes. A warp
 * that asks for 128 bytes or less is served at once; of 8 and 16 bytes a lane
 * the hardware serves groups of lanes that together ask for 128 bytes: half a
 * warp, a quarter.
 *
 * The lanes stand in rows, as they do when a warp reads a tile: --rows 32 is a
 * column, one lane in each row; --rows 1 is a row; --rows 8 has four lanes in
 * each, as the fragments of the tensor cores have. The next row begins --stride
 * words further.
 *
 * --fragment asks for the registers that a tensor core's fragment of A takes,
 * one after the other: lane l has two halves, a word, of row l / 4. m16n8k8 has
 * two registers, rows 0 to 7 and 8 to 15; m16n8k16 has two more, 8 columns
 * further.
 *
 * Run: make banks stride=33 width=4 rows=32
 *      make banks stride=20 fragment=m16n8k16
 *
 * The wavefronts come from the simulator, which counts the requests of a kernel
 * that does this very access.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define LANES 32
#define BANKS 32
#define WORD 4                    /**< bytes */
#define SHARED_BYTES (227 * 1024) /**< that a block of an H200 can have */

/** The access of a warp. */
typedef struct {
    int stride; /**< from row to row (words) */
    int width;  /**< of the access of a lane (bytes) */
    int rows;   /**< in which the lanes stand */
    int store;  /**< 1: a store; 0: a load */
    int first;  /**< where lane 0 begins (words) */
} access;

enum { NO_FRAGMENT, M16N8K8, M16N8K16 };

/** Where lane @p lane begins (bytes). */
static HOST_DEVICE int address_of(const access *a, int lane)
{
    int lanes_of_row = LANES / a->rows;
    return (a->first + lane / lanes_of_row * a->stride) * WORD +
           lane % lanes_of_row * a->width;
}

/** Bytes from the first lane's first to the last lane's last. */
static int reach(const access *a)
{
    return address_of(a, LANES - 1) + a->width;
}

/* ---- the access itself --------------------------------------------------- */

/** One warp loads or stores once; T has a.width bytes. */
template <typename T>
__global__ void access_kernel(access a, int words, T *sink)
{
    extern __shared__ float4 memory[];
    T *mine = (T *)((char *)memory + address_of(&a, threadIdx.x));
    if (a.store) {
        *mine = T();
        return;
    }
    if (threadIdx.x == 0)
        for (int i = 0; i < words; i++)
            ((float *)memory)[i] = 0.0f;
    __syncthreads(); // what lane 0 wrote is there for all
    sink[threadIdx.x] = *mine;
}

/** Wavefronts of the run before this call, by the simulator. */
static int wavefronts(const access *a)
{
    const char *wanted =
        a->store ? "shared_store_wavefronts" : "shared_load_wavefronts";
    counter counters[MAX_COUNTERS];
    int count = device_counters(counters);
    for (int i = 0; i < count; i++)
        if (strcmp(counters[i].name, wanted) == 0)
            return (int)counters[i].value;
    REQUIRE(false, "banks needs the simulator with its counters: make setup");
    return 0;
}

/** Launch the kernel. @return wavefronts */
template <typename T>
static int count(const access *a)
{
    int bytes = reach(a);
    T *sink;
    CUDA_CHECK(cudaMalloc((void **)&sink, LANES * sizeof(T)));
    CUDA_CHECK(cudaFuncSetAttribute(
        access_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    device_run_begin();
    access_kernel<T><<<1, LANES, (size_t)bytes>>>(*a, bytes / WORD, sink);
    CHECK_LAUNCH(access_kernel<T>, 1, LANES, bytes);
    device_run_end();
    CUDA_CHECK(cudaFree(sink));
    return wavefronts(a);
}

/* ---- what is printed ----------------------------------------------------- */

/** The bank of each lane, or its first and last; a blank line between groups
 *  of lanes that together ask for 128 bytes. */
static void print_lanes(const access *a)
{
    int words = a->width / WORD;
    int group = LANES / words;
    printf("lanes      %s\n", words > 1 ? "banks of each" : "bank of each");
    for (int lane = 0; lane < LANES; lane++) {
        int bank = address_of(a, lane) / WORD % BANKS;
        if (lane % 8 == 0)
            printf("%s%2d to %2d ", lane > 0 && lane % group == 0 ? "\n" : "",
                   lane, lane + 7);
        char text[16];
        snprintf(text, sizeof(text), words > 1 ? "%d-%d" : "%d", bank,
                 bank + words - 1);
        printf("%7s%s", text, lane % 8 == 7 ? "\n" : "");
    }
}

/** How many different words each bank has to give to the whole warp. */
static void print_fullest(const access *a)
{
    static bool wanted[SHARED_BYTES / WORD];
    int of_bank[BANKS] = {0};
    int fullest = 0, all = 0;
    for (int lane = 0; lane < LANES; lane++) {
        for (int byte = 0; byte < a->width; byte += WORD) {
            int word = (address_of(a, lane) + byte) / WORD;
            int bank = word % BANKS;
            all += !wanted[word];
            of_bank[bank] += !wanted[word];
            wanted[word] = true;
            if (of_bank[bank] > of_bank[fullest])
                fullest = bank;
        }
    }
    printf("bank %d holds %d of the %d different words\n", fullest,
           of_bank[fullest], all);
}

static void print_cost(const access *a, int wavefronts)
{
    int least = a->width / WORD; // 128 bytes each
    printf("wavefronts: %d, and 32 neighbours would take %d: ", wavefronts,
           least);
    if (wavefronts < least)
        printf("lanes share words\n");
    else if (wavefronts == least)
        printf("no bank conflicts\n");
    else
        printf("%d too many\n", wavefronts - least);
}

/** The registers of a fragment of A: halves, rows a->stride words apart. */
static void print_fragment(access a, int fragment)
{
    a.rows = 8;
    a.width = WORD;
    for (int i = 0; i < (fragment == M16N8K8 ? 2 : 4); i++) {
        a.first = i % 2 * 8 * a.stride + i / 2 * 4;
        printf("register %d: rows %d to %d, halves %d to %d\n", i, i % 2 * 8,
               i % 2 * 8 + 7, i / 2 * 8, i / 2 * 8 + 7);
        print_lanes(&a);
        print_cost(&a, count<float>(&a));
        printf("\n");
    }
}

/* ---- main ---------------------------------------------------------------- */

int main(int argc, char **argv)
{
    access a = {33, 4, 32, 0, 0};
    int fragment = NO_FRAGMENT;
    const option_spec options[] = {
        {"stride", OPTION_INT(&a.stride), 0, 4096, "words from row to row"},
        {"width", OPTION_INT(&a.width), 4, 16, "bytes of a lane: 4, 8 or 16"},
        {"rows", OPTION_INT(&a.rows), 1, 32, "rows, a power of two"},
        {"access", OPTION_CHOICE(&a.store), 0, 0, "load|store"},
        {"fragment", OPTION_CHOICE(&fragment), 0, 0, "none|m16n8k8|m16n8k16"},
    };
    run_options run =
        options_parse(argc, argv, "the banks of a warp's access", options,
                      sizeof(options) / sizeof(options[0]));
    REQUIRE((a.rows & (a.rows - 1)) == 0, "--rows %d: a power of two", a.rows);
    REQUIRE((a.width & (a.width - 1)) == 0, "--width %d: 4, 8 or 16", a.width);
    REQUIRE(a.rows == 1 || a.stride * WORD % a.width == 0,
            "--stride %d: the second row would begin at byte %d, and an access "
            "of %d bytes needs a multiple of %d",
            a.stride, a.stride * WORD, a.width, a.width);
    REQUIRE(
        !a.store || a.rows == 1 || a.stride * WORD >= LANES / a.rows * a.width,
        "--stride %d: rows that overlap can be loaded, not stored", a.stride);
    REQUIRE(reach(&a) <= SHARED_BYTES,
            "%d rows of %d words are %d bytes; a block has %d", a.rows,
            a.stride, reach(&a), SHARED_BYTES);
    REQUIRE(fragment == NO_FRAGMENT || !a.store, "--fragment: is loaded");
    REQUIRE(fragment == NO_FRAGMENT || (a.rows == 32 && a.width == WORD),
            "--fragment: has rows and width of its own");
    device_open(run.device);
    if (fragment != NO_FRAGMENT) {
        print_fragment(a, fragment);
        options_flush();
        return EXIT_VERIFIED;
    }
    printf(
        "%d lanes %s %d bytes each: %d in each of %d rows, %d words apart\n\n",
        LANES, a.store ? "store" : "load", a.width, LANES / a.rows, a.rows,
        a.stride);
    print_lanes(&a);
    int cost = a.width == 4   ? count<float>(&a)
               : a.width == 8 ? count<float2>(&a)
                              : count<float4>(&a);
    printf("\n");
    print_fullest(&a);
    print_cost(&a, cost);
    options_flush();
    return EXIT_VERIFIED;
}
