#include "cases.h"

// Lanes of one warp exchange values through shared memory without __syncwarp.
// It works where the lanes run in lockstep; since Volta they need not.
// consequence: uninitialised-shared

__global__ void reverse(int *data)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = data[t]; // expect-one: warp-race
#if RIGHT
    __syncwarp(); // the tile is complete
#endif
    data[t] = tile[31 - t]; // expect-one: warp-race
}

LAUNCH(no_syncwarp, reverse<<<1, 32>>>(zeros<int>(32)));

// Only half of the warp waits for each other; the other half reads too early.

__global__ void swap(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // expect-one: warp-race
    if (t < 16)
#if RIGHT
        __syncwarp(0x0000ffff); // the lower half has written
    else
        __syncwarp(0xffff0000); // so has the upper half
#else
        __syncwarp(0xffff); // the lower half has written
#endif
    data[t] = s[t ^ 1]; // expect-one: warp-race
#if RIGHT
    if (t == 0 || t == 16)
        __syncwarp(0x00010001); // lane 16 knows what lane 31 wrote
    if (t == 0)
        data[0] = s[31];
#endif
}

LAUNCH(partial, swap<<<1, 32>>>(zeros<int>(32)));

// A shuffle brings the lanes together, but it is no fence: CUDA promises
// nothing about what they stored before.

__global__ void exchange(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t]; // expect-one: warp-race
    int sum = __shfl_xor_sync(0xffffffff, t, 1);
    data[t] = s[31 - t] + sum; // expect-one: warp-race
}

LAUNCH(shuffle, exchange<<<1, 32>>>(zeros<int>(32)));

// Between store and load lie 65,536 __syncwarp: a clock of 16 bits would show
// the same time again.

__global__ void rotate(int *data)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = data[t];
    for (int i = 0; i < 65536; i++)
        __syncwarp(); // all have written
    data[t] = s[(t + 1) % 32];
}

LAUNCH(many_syncwarps, rotate<<<1, 32>>>(zeros<int>(32)));

// Two lanes read a word, the warp synchronises, one of them writes it. Who
// remembers only the last reader of a word calls this a race; it is none.

__global__ void halve(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads(); // the array is complete
    if (t < 32)
        for (int distance = 32; distance > 0; distance /= 2) {
            int sum = s[t] + s[t + distance];
            __syncwarp(); // all lanes have read
            s[t] = sum;
            __syncwarp(); // all lanes have written
        }
    if (t == 0)
        data[0] = s[0];
}

LAUNCH(two_readers, halve<<<1, 64>>>(zeros<int>(64)));

// Two lanes of one store write one word: one of them wins. Programs that write
// the same value from all lanes do it on purpose, so this is a note.

__global__ void set_flag(const int *data, int *out)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncwarp(); // found is 0
    if (data[threadIdx.x] == 0)
        found = 1; // expect: *-note
    __syncwarp();  // all lanes have looked
    out[threadIdx.x] = found;
}

LAUNCH(same_word, set_flag<<<1, 32>>>(zeros<int>(32), room<int>(32)));
