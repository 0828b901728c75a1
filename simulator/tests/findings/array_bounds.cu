#include "cases.h"

// Index 33 of a row of 33: it is the first element of the next row, so no
// other memory is touched, and compute-sanitizer is content.

__global__ void diagonal(int *out)
{
    __shared__ int tile[32][33 + RIGHT];
    int t = threadIdx.x;
    for (int x = 0; x < 33 + RIGHT; x++)
        tile[t][x] = x;
    __syncwarp();            // the tile is complete
    out[t] = tile[t][t + 2]; // expect: array-bounds
}

LAUNCH(row, diagonal<<<1, 32>>>(room<int>(32)));

// A pointer into a shared array runs over its end, into another array.

__device__ int sum(const int *p, int n)
{
    int total = 0;
    for (int i = 0; i <= n; i++)
        total += p[i]; // expect: array-bounds
    return total;
}

__global__ void sums(int *out)
{
    __shared__ int a[32];
    __shared__ int b[32];
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 2;
    __syncwarp(); // both arrays are complete
    out[threadIdx.x] = sum(threadIdx.x % 2 ? a : b, 32);
}

LAUNCH(pointer, sums<<<1, 32>>>(room<int>(32)));

// A pointer that lands far past the end of the last shared array.

__global__ void reach(const int *distance, int *out)
{
    __shared__ int a[32];
    a[threadIdx.x] = 1;
    __syncwarp(); // the array is complete
    int *p = a;
    out[threadIdx.x] = p[threadIdx.x + *distance]; // expect: array-bounds
}

CASE(far)
{
    int *distance = shared_zeros<int>(1);
    *distance = 150;
    reach<<<1, 32>>>(distance, room<int>(32));
}

// The launch asks for less dynamic shared memory than the kernel uses.

__global__ void copy(int *out)
{
    extern __shared__ int s[];
    int *squares = s + blockDim.x, t = threadIdx.x;
    s[t] = t;
    // says: write of s[127]
    squares[t] = t * t; // expect: array-bounds
    __syncthreads();    // both arrays are complete
    out[t] = s[63 - t] + squares[63 - t];
}

LAUNCH(dynamic, copy<<<1, 64, (127 + RIGHT) * sizeof(int)>>>(room<int>(64)));

// The third number of the launch is missing: there is no dynamic memory at all.
// says: the launch gave 0 bytes

__global__ void copy_in_nothing(int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x; // expect: array-bounds
    __syncthreads();              // the array is complete
    out[threadIdx.x] = s[threadIdx.x];
}

LAUNCH(dynamic_forgotten, copy_in_nothing<<<1, 64>>>(room<int>(64)));

// An array of one thread, overrun by an index from memory.

__global__ void pick(const int *index, int *out)
{
    int squares[8];
    for (int i = 0; i < 8; i++)
        squares[i] = i * i;
    out[threadIdx.x] = squares[index[threadIdx.x]]; // expect: array-bounds
}

CASE(index)
{
    int h[32];
    for (int i = 0; i < 32; i++)
        h[i] = i < 31 ? i % 8 : 8;
    int *index = room<int>(32);
    cudaMemcpy(index, h, sizeof h, cudaMemcpyHostToDevice);
    pick<<<1, 32>>>(index, room<int>(32));
}

// A pointer walks over the end of an array of one thread.

__global__ void walk(int n, int *out)
{
    int squares[8], *p = squares, total_of = 0;
    for (int i = 0; i < n; i++)
        *p++ = i * i; // expect: array-bounds
                      // says: write of squares
                      // says: 4 bytes at byte 32 of its 32
    for (int i = 0; i < 8; i++)
        total_of += squares[i];
    out[threadIdx.x] = total_of;
}

LAUNCH(pointer_walks, walk<<<1, 32>>>(RIGHT ? 8 : 9, room<int>(32)));

// It lands behind the array.

__global__ void jump(int n, int *out)
{
    int small[4] = {1, 2, 3, 4};
    const int *p = n & 1 ? small : small + 2;
    out[threadIdx.x] = p[n]; // expect: array-bounds
}

LAUNCH(pointer_behind, jump<<<1, 32>>>(RIGHT ? 1 : 2, room<int>(32)));

// It lands before the array.

__global__ void back(int n, float4 *out)
{
    float4 rows[4];
    for (int i = 0; i < 4; i++)
        rows[i] = make_float4(i, n, 0, 0);
    const float4 *p = &rows[1];
    out[threadIdx.x] = p[-n]; // expect: array-bounds
                              // says: 16 bytes at byte -16 of its 64
}

LAUNCH(pointer_before, back<<<1, 32>>>(RIGHT ? 1 : 2, room<float4>(32)));

// A function that gets an array of one thread writes past its end.

__device__ __noinline__ void fill(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = i; // expect: array-bounds
                  // says: write of squares
                  // says: 4 bytes past its end
}

__device__ __noinline__ int total_of(const int *p, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += p[i];
    return total;
}

__global__ void totals(int n, int *out)
{
    int squares[7];
    fill(squares, n);
    out[threadIdx.x] = total_of(squares, 7);
}

LAUNCH(function, totals<<<1, 32>>>(8, room<int>(32)));

// Functions get arrays of one thread and stay inside. Where nobody's words have
// been, behind the array of one function, the next has its own.

__device__ __noinline__ int small()
{
    int some[3], more[3];
    fill(some, 3);
    fill(more, 3);
    return total_of(some, 3) + total_of(more, 3);
}

__device__ __noinline__ int large(int n)
{
    int many[64], total = 0;
    for (int i = 0; i < 64; i++)
        many[i * n % 64] = i;
    for (int i = 0; i < 64; i++)
        total += many[i];
    return total;
}

__global__ void sums_of_functions(int *out)
{
    int total = 0;
    for (int i = 0; i < 10; i++) {
        total += small() + large(5);
        __syncthreads(); // as a place where others take their turn
    }
    out[threadIdx.x] = total;
}

CASE(functions)
{
    int *out = room<int>(64);
    for (int i = 0; i < 3; i++)
        sums_of_functions<<<1, 64>>>(out);
    CHECK_EQUAL(fetch(out), 10 * (6 + 63 * 32));
}

// The last element of an array holds by chance what the simulator would have
// put there if the array ended one element earlier.

#ifdef __CUDASIM__
#define MARK sim_hook_zone // what stands behind an array: 14 words of nobody
#else
#define MARK nullptr
#endif

__global__ void sums_by_chance(void (*mark)(void *, const char *), int *out)
{
    int all[32] = {}; // an array of 8, and room behind it
    if (mark) {
        mark(&all[7], "all"); // the first of these words stays
        mark(&all[8], "all");
    }
    fill(all, 8);
    *out = total_of(all, 8);
}

CASE(chance)
{
    int *out = room<int>(1);
    sums_by_chance<<<1, 1>>>(MARK, out);
    CHECK_EQUAL(fetch(out), 28);
}

// A loop makes a constant number of rounds, one too many.

template <int N>
__global__ void rounds(int *out)
{
    int squares[8], *p = squares;
    for (int i = 0; i < N; i++)
        p[i] = i * i; // expect: array-bounds
                      // says: 4 bytes at byte 32 of its 32
    out[threadIdx.x] = squares[threadIdx.x % 8];
}

LAUNCH(rounds, rounds<RIGHT ? 8 : 9><<<1, 32>>>(room<int>(32)));

// The rounds are right, but the last words are read four at a time.

__global__ void fours(int n, float4 *out)
{
    alignas(16) float row[8];
    for (int i = 0; i < 8; i++)
        row[i] = i * n;
    for (int i = 0; i < (RIGHT ? 2 : 3); i++)
        out[i] = ((float4 *)row)[i]; // expect: array-bounds
                                     // says: 16 bytes at byte 32 of its 32
}

LAUNCH(rounds_of_four, fours<<<1, 1>>>(2, room<float4>(32)));

// The last element, by a number.

template <int N>
__global__ void last(int *out)
{
    int squares[8], *p = squares;
    for (int i = 0; i < 8; i++)
        p[i] = i * i;
    p[N] = 3; // expect: array-bounds
              // says: write of squares
    out[threadIdx.x] = squares[threadIdx.x % 8];
}

LAUNCH(last, last<RIGHT ? 7 : 8><<<1, 32>>>(room<int>(32)));

// An address that no float4 has.

__global__ void between(int n, float4 *out)
{
    alignas(16) float row[8];
    for (int i = 0; i < 8; i++)
        row[i] = i * n;
    out[0] = *(float4 *)(row + (RIGHT ? 4 : n)); // expect: misaligned
                                                 // says: byte 8 of its 32
}

LAUNCH(between, between<<<1, 1>>>(2, room<float4>(32)));

// Calls within calls need stack for each. Where it ends is up to the system, so
// the access there, or the next call of a hook, is what does not fit.

__device__ __noinline__ int descend(int depth, int seed)
{
    int table[64]; // expect-one: array-bounds
    for (int i = 0; i < 64; i++)
        table[i] = seed + i * depth; // expect-one: array-bounds
    if (depth == 0)
        return table[seed % 64];
    int next = table[depth % 64]; // expect-one: array-bounds
    return descend(depth - 1, next % 1024) + next;
}

__global__ void dive(int depth, int *out)
{
    *out = descend(depth, threadIdx.x);
}

// says: a full stack of
LAUNCH(full_stack, dive<<<1, 1>>>(RIGHT ? 3 : 400, room<int>(1)));
