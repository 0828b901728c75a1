#include "cases.h"
#include <cuda/barrier>
#include <mma.h>

using namespace nvcuda;

// A thread reads what a thread of another warp wrote, with no barrier between.
// Which value it gets depends on the order in which the warps run.
// consequence: uninitialised-shared

__global__ void reverse(int *data)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = data[t]; // expect-one: shared-race
#if RIGHT
    __syncthreads(); // the tile is complete
#endif
    data[t] = tile[63 - t]; // expect-one: shared-race
}

LAUNCH(no_barrier, reverse<<<1, 64>>>(zeros<int>(64)));

// An atomic addition is safe among atomics, not beside an ordinary load.

__global__ void count(int *out)
{
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0)
        total = 0;
    __syncthreads(); // total is 0
    if (t < 32)
        atomicAdd(&total, 1); // expect-one: shared-race
#if RIGHT
    __syncthreads(); // all have added
#endif
    if (t == 32)
        out[0] = total; // expect-one: shared-race
}

LAUNCH(atomic, count<<<1, 64>>>(room<int>(1)));

// Thread 0 clears the counter and nobody waits for it; that thread 0 then adds
// to it itself does not help the others.

__global__ void clear_and_count(int *out)
{
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0; // expect-one: shared-race
#if RIGHT
    __syncthreads(); // n is 0
#endif
    atomicAdd(&n, 1); // expect-one: shared-race
    __syncthreads();  // all have counted
    if (threadIdx.x == 0)
        *out = n;
}

LAUNCH(own_atomic, clear_and_count<<<1, 64>>>(room<int>(1)));

// volatile makes the compiler load and store each time; it orders nothing. Flag
// and value belong to a fence and to atomics.

__global__ void signal(int *out)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads(); // ready is 0
    if (threadIdx.x == 32)
        ready = 1; // expect-one: shared-race
    if (threadIdx.x == 0)
        out[0] = ready; // expect-one: shared-race
}

LAUNCH(volatile_flag, signal<<<1, 64>>>(room<int>(1)));

// The reduction that was taught before Volta: volatile, and no __syncwarp. A
// fence makes no difference to lanes of one warp, nor to `+=`, which is two
// accesses.

__global__ void last_sums(float *out)
{
    __shared__ float sums[64];
    volatile float *s = sums;
    int t = threadIdx.x;
    sums[t] = (float)t;
    __syncthreads(); // all are there
    __threadfence();
    if (t < 32) {
        s[t] += s[t + 32];
        if (RIGHT)
            __syncwarp();
        if (t < 16)
            s[t] += s[t + 16]; // expect: warp-race
    }
    __syncthreads(); // sums of four
    if (t == 0)
        out[0] = sums[0];
}

LAUNCH(volatile_sums, last_sums<<<1, 64>>>(room<float>(1)));

// Flags that others look at make no plain reader of the word right.

__global__ void plain_look(int *out)
{
    __shared__ int ready;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, value = 0;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads(); // ready is 0
    __threadfence_block();
    if (warp < 2)
        value = *(volatile int *)&ready;
#if RIGHT
    if (warp == 2)
        value = *(volatile int *)&ready;
#else
    if (warp == 2)
        value = ready; // expect-one: shared-race
#endif
    if (warp == 3 && lane == 0)
        *(volatile int *)&ready = 1; // expect-one: shared-race
    out[threadIdx.x] = value;
}

LAUNCH(plain_among_volatile, plain_look<<<1, 128>>>(room<int>(128)));

// The writer is in the first warp and the reader in the last, so that they
// meet in this order whichever way the warps run: store, then load.

__global__ void broadcast(int *out)
{
    __shared__ int value;
    if (threadIdx.x == 0)
        value = 42; // expect-one: shared-race
    if (threadIdx.x == 127)
        out[0] = value; // expect-one: shared-race
}

LAUNCH(late_reader, broadcast<<<1, 128>>>(room<int>(1)));

// The other order: the first warp reads what the last warp overwrites.

__global__ void overwrite(int *out)
{
    __shared__ int value;
    if (threadIdx.x == 64)
        value = 1;
    __syncthreads(); // the first value is there
    if (threadIdx.x == 0)
        out[0] = value; // expect-one: shared-race
    if (threadIdx.x == 127)
        value = 2; // expect-one: shared-race
}

LAUNCH(late_writer, overwrite<<<1, 128>>>(room<int>(1)));

// Two warps write one word: the last to come wins, and nobody knows which.

__global__ void last_wins(int *out)
{
    __shared__ int value;
    if (threadIdx.x % 32 == 0)
        value = threadIdx.x; // expect: shared-race
    __syncthreads();         // too late: the stores above race
    out[threadIdx.x] = value;
}

LAUNCH(two_writers, last_wins<<<1, 64>>>(room<int>(64)));

// Three warps read a word that a fourth one writes. Two slots for readers are
// enough to see it: the writer differs from at least one of them.

__global__ void read_and_overwrite(int *out)
{
    __shared__ int value;
    int t = threadIdx.x;
    if (t == 0)
        value = 1;
    __syncthreads(); // the first value is there
    if (t < 96)
        out[t] = value; // expect-one: shared-race
#if RIGHT
    __syncthreads(); // all have read it
    if (t == 96)
#else
    else if (t == 96)
#endif
        value = 2; // expect-one: shared-race
}

LAUNCH(three_readers, read_and_overwrite<<<1, 128>>>(room<int>(128)));

// The barrier after the loop's loads is missing: a fast warp overwrites the
// tile for its next step while a slow warp still reads this one.

__global__ void sums(const int *data, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int step = 0; step < 4; step++) {
        tile[t] = data[step * 64 + t]; // expect-one: shared-race
        __syncthreads();               // the tile is complete
        sum += tile[63 - t];           // expect-one: shared-race
#if RIGHT
        __syncthreads(); // all have read it
#endif
    }
    out[t] = sum;
}

LAUNCH(second_barrier, sums<<<1, 64>>>(zeros<int>(256), room<int>(64)));

// Two arrays in one piece: the second begins where the problem's size ends, and
// the block has more threads.

__global__ void carve(int *out, int n)
{
    extern __shared__ int place[];
    float *value = (float *)&place[n];
    int t = threadIdx.x;
    place[t] = t; // expect-one: shared-race
    // says: or the arrays overlap: it is in place here and in value there
    value[t] = t; // expect-one: shared-race
    __syncthreads();
    out[t] = place[63 - t] + value[63 - t];
}

LAUNCH(overlap, carve<<<1, 64, 512>>>(room<int>(64), RIGHT ? 64 : 8));

// A word of 64 bits is written in halves.

__global__ void halves(long long *out)
{
    __shared__ long long whole;
    int *half = (int *)&whole, t = threadIdx.x;
    if (t % 32 == 0)
        half[t / 32] = t; // expect-one: shared-race
#if RIGHT
    __syncthreads();
#endif
    if (t == 0)
        *out = whole; // expect-one: shared-race
}

LAUNCH(halves, halves<<<1, 64>>>(room<long long>(1)));

// Two warps fill a tile, each loads all of it as a matrix, and no barrier is in
// between.
// consequence: uninitialised-shared

__global__ void load(float *out)
{
    __shared__ alignas(32) __half tile[16][16];
    for (int i = 0; i < 4; i++) {
        int at = threadIdx.x * 4 + i;
        tile[at / 16][at % 16] = __int2half_rn(at); // expect-one: shared-race
    }
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::load_matrix_sync(f, &tile[0][0], 16); // expect-one: shared-race
    out[threadIdx.x] = __half2float(f.x[0]);
}

LAUNCH(wmma, load<<<1, 64>>>(room<float>(64)));

// A race on one byte of a char array.
// consequence: uninitialised-shared

__global__ void shift(const char *in, char *out)
{
    __shared__ char text[64];
    int t = threadIdx.x;
    text[t] = in[t];             // expect-one: shared-race
    out[t] = text[(t + 1) % 64]; // expect-one: shared-race
}

LAUNCH(bytes, shift<<<1, 64>>>(zeros<char>(64), room<char>(64)));

// Threads work on neighbouring bytes of one word: no byte is shared, so there
// is no race, although the words are.

__global__ void upper_case(char *text)
{
    __shared__ char s[64];
    int t = threadIdx.x * 7 % 64; // a word's bytes belong to several warps
    s[t] = text[t];
    s[t] += 'A' - 'a';
    text[t] = s[t];
}

LAUNCH(own_bytes, upper_case<<<1, 64>>>(zeros<char>(64)));

// Lane 0 arrives for its warp before the other lanes are known to have stored.

__global__ void produce(int *out)
{
    __shared__ int tile[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        init(&empty, 1);
    }
    __syncthreads(); // the barriers are initialised
    for (int i = 0; i < 4; i++) {
        if (t < 32) {
            if (i > 0)
                empty.wait_parity((i - 1) % 2);
            tile[t] = i;      // expect-one: shared-race
            tile[32 + t] = i; // consequence: shared-race
#if RIGHT
            __syncwarp(); // all lanes have stored
#endif
            if (t == 0)
                (void)full.arrive();
        } else {
            full.wait_parity(i % 2);
            // says: only another lane of its warp has arrived since
            out[t - 32] = tile[t]; // expect-one: shared-race
            __syncwarp();          // all lanes have read
            if (t == 32)
                (void)empty.arrive();
        }
    }
}

LAUNCH(arrive_for_others, produce<<<1, 64>>>(room<int>(32)));

// A slot is filled again when one of its two readers has said that it is done.

__global__ void refill(int *out)
{
    __shared__ int slot[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> full, done[2];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        init(&full, 32);
        init(&done[0], 32);
        init(&done[1], 32);
    }
    __syncthreads(); // the barriers are initialised
    if (t < 32) {
        slot[lane] = t;
        (void)full.arrive();
        done[0].wait_parity(0);
#if RIGHT
        done[1].wait_parity(0);
#endif
        // says: no barrier between at which that one arrives and this one waits
        slot[lane] = 2 * t; // expect-one: shared-race
    } else {
        full.wait_parity(0);
        out[t - 32] = slot[31 - lane]; // expect-one: shared-race
        (void)done[t / 32 - 1].arrive();
    }
}

LAUNCH(refill_early, refill<<<1, 96>>>(room<int>(64)));

// The same with one barrier, which expects one reader of two. When the writer
// wakes, the other has arrived as well: in a phase for which it did not wait.

__global__ void refill_one(int *out)
{
    __shared__ int slot[32];
    __shared__ cuda::barrier<cuda::thread_scope_block> full, done;
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        init(&full, 32);
        init(&done, RIGHT ? 64 : 32);
    }
    __syncthreads(); // the barriers are initialised
    if (t < 32) {
        slot[lane] = t;
        (void)full.arrive();
        done.wait_parity(0);
        slot[lane] = 2 * t; // expect-one: shared-race
    } else {
        full.wait_parity(0);
        out[t - 32] = slot[31 - lane]; // expect-one: shared-race
        (void)done.arrive();
    }
}

LAUNCH(one_is_enough, refill_one<<<1, 96>>>(room<int>(64)));

// Each of many adds 1: the load and the store of ++ are two steps.

__global__ void count_up(int *sum)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
#if RIGHT
    atomicAdd(&count, 1);
#else
    // says: an update is lost, and atomicAdd loses none
    count++;                // expect: shared-race
#endif
    __syncthreads();
    if (threadIdx.x == 0)
        *sum = count;
}

LAUNCH(lost_update, count_up<<<1, 64>>>(room<int>(1)));

// Lanes of one warp exchange values through shared memory without __syncwarp.
// It works where the lanes run in lockstep; since Volta they need not.
// consequence: uninitialised-shared

__global__ void reverse_warp(int *data)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = data[t]; // expect-one: warp-race
#if RIGHT
    __syncwarp(); // the tile is complete
#endif
    data[t] = tile[31 - t]; // expect-one: warp-race
}

LAUNCH(no_syncwarp, reverse_warp<<<1, 32>>>(zeros<int>(32)));

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
