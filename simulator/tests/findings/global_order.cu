#include "cases.h"
#include <cooperative_groups.h>

// volatile makes no atomic operation: ++ is a load and a store, and another
// block may come between them.

__global__ void count(volatile int *blocks)
{
    if (threadIdx.x == 0)
        (*blocks)++; // expect: global-race
}

__global__ void add_up(volatile float *total, const float *x)
{
    float own = x[blockIdx.x];
    if (threadIdx.x == 0)
        *total = *total + own; // expect: global-race
}

__global__ void count_in_block(volatile int *warps, int *other)
{
    if (threadIdx.x % 32 == 0)
        *warps += 1; // expect: global-race
    other[threadIdx.x] = 1;
}

CASE(volatile_wrong)
{
    int *x = zeros<int>(1024);
    count<<<8, 32>>>(x);
    add_up<<<8, 32>>>((float *)x + 1, (float *)x + 2);
    count_in_block<<<1, 256>>>(x, x + 512);
}

// What blocks may do with volatile memory: one counts and others look; they
// read what nobody writes; a lock guards the counter.

#define BLOCKS 8

__global__ void one_counts(volatile int *count, const int *in, int *out)
{
    int plain = in[0], late = ((const volatile int *)in)[0];
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0)
        (*count)++;
    while (*count == 0)
        ; // for block 0
    out[blockIdx.x] = plain + late;
}

__global__ void guarded(int *lock, volatile int *count)
{
    if (threadIdx.x > 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0)
        ; // for who has it
    __threadfence();
    (*count)++;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void read_both(int *x, int *out)
{
    int mine = threadIdx.x < 32 ? *(volatile int *)x : *x;
    out[threadIdx.x] = mine;
}

CASE(volatile_right)
{
    int *x = zeros<int>(1024);
    one_counts<<<BLOCKS, 64>>>(x, x + 4, x + 8);
    guarded<<<BLOCKS, 64>>>(x + 2, x + 1);
    read_both<<<1, 64>>>(x + 6, x + 512);
    CHECK(fetch(x) == 1 && fetch(x + 1) == BLOCKS);
}

// A ticket orders what comes before it, not what a block does behind it.

__global__ void late_store(int *partial, unsigned *tickets, int *total)
{
    if (threadIdx.x > 0)
        return;
    partial[blockIdx.x] = 1;
    __threadfence();
    unsigned ticket = atomicAdd(tickets, 1);
    partial[blockIdx.x] = 2; // expect-one: global-race
    if (ticket == gridDim.x - 1) {
        __threadfence();
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += partial[b]; // expect-one: global-race
        *total = sum;
    }
}

__global__ void late_stores_of_all(int *x, unsigned *tickets)
{
    __threadfence();
    if (threadIdx.x == 0)
        atomicAdd(tickets, 1);
    __syncthreads();             // the ticket is drawn
    x[threadIdx.x] = blockIdx.x; // expect: global-race
}

__global__ void everybody_is_last(unsigned *tickets, unsigned *last)
{
    if (threadIdx.x > 0)
        return;
    __threadfence();
    unsigned ticket = atomicAdd(tickets, 1);
    *last = ticket; // expect: global-race
}

CASE(ticket_wrong)
{
    int *x = zeros<int>(1024);
    unsigned *tickets = (unsigned *)x + 512;
    late_store<<<8, 64>>>(x, tickets, x + 700);
    late_stores_of_all<<<8, 64>>>(x + 100, tickets + 1);
    everybody_is_last<<<8, 64>>>(tickets + 2, tickets + 3);
}

// Stores between the flags of a block, each read behind the flag that follows
// it; a chain through all blocks; more flags than are told apart.

__global__ void two_flags(int *x, volatile int *flags)
{
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 1;
        __threadfence();
        __syncthreads(); // all have stored
        if (threadIdx.x == 0)
            flags[0] = 1;
        __syncthreads(); // the first flag is up
        x[64 + threadIdx.x] = 2;
        __threadfence();
        __syncthreads(); // all have stored again
        if (threadIdx.x == 0)
            flags[1] = 1;
    } else {
        int second = blockIdx.x % 2;
        if (threadIdx.x == 0)
            while (!flags[second])
                ;        // for block 0
        __syncthreads(); // thread 0 has seen the flag
        __threadfence();
        x[128 + 64 * blockIdx.x + threadIdx.x] = x[64 * second + threadIdx.x];
    }
}

__global__ void chain(int *x, volatile int *turn, int steps)
{
    if (threadIdx.x > 0)
        return;
    int first = blockIdx.x * steps;
    while (*turn != first)
        ; // for the block before
    for (int i = 1; i <= steps; i++) {
        __threadfence();
        x[0] += 1;
        __threadfence();
        *turn = first + i;
    }
}

__global__ void last_block(int *x, unsigned *tickets, int *total)
{
    __shared__ bool last;
    x[blockIdx.x * 64 + threadIdx.x] = 1;
    atomicAdd(&tickets[1], 1); // a flag for each thread
    __threadfence();
    __syncthreads(); // all have stored
    if (threadIdx.x == 0)
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    __syncthreads(); // last is set
    if (last && threadIdx.x == 0) {
        __threadfence();
        for (int i = 0; i < 64 * gridDim.x; i++)
            *total += x[i];
    }
}

CASE(ticket_right)
{
    int *x = zeros<int>(4096);
    two_flags<<<8, 64>>>(x, x + 2048);
    chain<<<6, 32>>>(x + 2050, x + 2055, 20);
    last_block<<<8, 64>>>(x + 1024, (unsigned *)x + 2060, x + 2051);
    CHECK(fetch(x + 2050) == 120 && fetch(x + 2051) == 512);
}

// Each block leaves a partial sum; the block that counts itself last adds them
// up. Without the fence another block may see the count before the sum. This
// machine's own memory order hides it, a GPU's does not.

__global__ void sum(const char *data, int *partial, int *finished, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        int mine = 0;
        for (int i = 0; i < 32; i++)
            mine += data[blockIdx.x * 32 + i];
        partial[blockIdx.x] = mine; // expect-one: missing-fence
#if RIGHT
        __threadfence(); // the partial sum before the count
#endif
        last = atomicAdd(finished, 1) ==
               gridDim.x - 1; // expect-one: missing-fence
    }
    __syncthreads(); // all know whether this is the last block
    if (last && threadIdx.x == 0) {
        __threadfence(); // the count before the partial sums
        int total = 0;
        for (int b = 0; b < gridDim.x; b++)
            total += partial[b]; // expect-one: missing-fence
        *out = total;
    }
}

CASE(missing_fence)
{
    char *data = room<char>(256);
    int *out = room<int>(1);
    cudaMemset(data, 1, 256);
    sum<<<8, 32>>>(data, room<int>(8), zeros<int>(1), out);
    CHECK_EQUAL(fetch(out), 256);
}

// CUDA's guide leaves the fence behind the ticket out; the barrier is there.

__global__ void last_adds(int *partial, unsigned *tickets, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = 1;
        __threadfence();
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x)
        atomicAdd(out, partial[threadIdx.x]); // expect: missing-fence-note
}

CASE(ticket_of_the_guide)
{
    int *out = zeros<int>(1);
    last_adds<<<8, 32>>>(room<int>(8), zeros<unsigned>(1), out);
    CHECK_EQUAL(fetch(out), 8);
}

// Many store the same constant: nobody can tell who was last.

__global__ void any_zero(const int *x, int *found)
{
    __shared__ int any;
    any = 0; // expect: same-word-note
    __syncthreads();
    if (x[blockIdx.x * blockDim.x + threadIdx.x] == 0)
        any = 1; // expect: same-word-note
    __syncthreads();
    if (threadIdx.x == 0 && any)
        *found = 1; // expect: same-word-note
}

CASE(same_value)
{
    int *found = zeros<int>(1);
    any_zero<<<4, 64>>>(zeros<int>(256), found);
    CHECK_EQUAL(fetch(found), 1);
}

// A value that only happens to be the same is luck.

__global__ void set(int *found, int value)
{
#if RIGHT
    if (blockIdx.x == 0)
#endif
        *found = value; // expect: global-race
}

LAUNCH(same_by_chance, set<<<4, 1>>>(zeros<int>(1), 1));

// The cache of read-only loads does not notice what the same launch writes,
// even where a barrier, a fence or a flag puts the two in order.

// One block, behind a barrier.

__global__ void reversed(const float *x, float *y, float *z)
{
    int i = threadIdx.x;
    y[i] = 2 * x[i];
    __syncthreads();
#if RIGHT
    z[i] = y[63 - i];
#else
    // says: the same launch has written it at line
    z[i] = __ldg(&y[63 - i]);           // expect: read-only-load
#endif
}

CASE(behind_a_barrier)
{
    float *x = zeros<float>(64), *y = room<float>(64), *z = room<float>(64);
    reversed<<<1, 64>>>(x, y, z);
    CHECK_EQUAL(fetch(z), 0);
}

// The last block adds up what all have written; vectors.

__device__ unsigned arrived;

__global__ void last_of_all(float4 *sums, float *sum)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = make_float4(1, 2, 3, 4);
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        *sum = 0;
        for (int b = 0; b < (int)gridDim.x; b++) {
#if RIGHT
            float4 s = sums[b];
#else
            float4 s = __ldg(&sums[b]); // expect: read-only-load
#endif
            *sum += s.x + s.w;
        }
    }
}

CASE(behind_a_counter)
{
    float *sum = room<float>(1);
    last_of_all<<<8, 32>>>(room<float4>(8), sum);
    CHECK_EQUAL(fetch(sum), 40);
}

// The rest of a launch cannot see it, the next one can.

__global__ void all_right(const unsigned char *x, unsigned char *y, int *z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[2 * i + 1] = __ldg(&x[i]) + __ldg(&y[2 * i]); // neighbours
    int old = __ldg(&z[i]);
    z[i] = old + 1; // behind the load
}

CASE(earlier_launches)
{
    unsigned char *x = zeros<unsigned char>(256);
    unsigned char *y = zeros<unsigned char>(512);
    int *z = zeros<int>(256);
    for (int i = 0; i < 3; i++)
        all_right<<<4, 64>>>(x, y, z);
    CHECK_EQUAL(fetch(z + 99), 3);
}

// Behind a wait of the grid, too.

__global__ void in_two_steps(const double *x, double *y, double *z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 1;
    cooperative_groups::this_grid().sync();
#if RIGHT
    z[i] = y[127 - i];
#else
    z[i] = __ldg(&y[127 - i]);          // expect: read-only-load
#endif
}

CASE(behind_the_grid)
{
    double *x = zeros<double>(128), *y = room<double>(128);
    double *z = room<double>(128);
    void *args[] = {&x, &y, &z};
    CHECK_CUDA(cudaLaunchCooperativeKernel((void *)in_two_steps, 4, 32, args));
    CHECK_EQUAL(fetch(z), 1);
}

// The atomicMax of floats, as CUDA's guide makes an atomicAdd of doubles: what
// the first, plain read brings may be old, and then the exchange fails. A stack
// looks whether it is worth it, and then asks. A volatile read says so.

#if RIGHT
typedef volatile int look;
#else
typedef int look;
#endif

__device__ void raise_to(float *most, float x)
{
    int old = *(look *)most, seen; // expect: plain-look-note
    do {
        seen = old;
        old = atomicCAS((int *)most, seen,
                        __float_as_int(fmaxf(x, __int_as_float(seen))));
    } while (old != seen);
}

__global__ void maximum(const float *x, float *most, int *left)
{
    __shared__ float own;
    if (threadIdx.x == 0)
        own = -INFINITY;
    __syncthreads();
    raise_to(&own, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        raise_to(most, own);
    if (*(look *)left >= 0) // expect: plain-look-note
        if (atomicSub(left, 1) > 0)
            atomicAdd(&left[1], 1);
}

LAUNCH(exchange_checks,
       maximum<<<4, 96>>>(zeros<float>(384), zeros<float>(1), zeros<int>(2)));

// Who uses the number that was read needs it to be right.

__global__ void numbers(int *next, int *out)
{
    atomicAdd(next, 1); // expect-one: global-race
    int n = *next;      // expect-one: global-race
    if (n < 1000)
        out[threadIdx.x] = n;
}

LAUNCH(number_is_used, numbers<<<1, 64>>>(zeros<int>(1), room<int>(64)));

// Each thread takes a lock, one for each bin, in global and in shared memory.

__device__ void add(int *lock, volatile int *sum, int x)
{
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum = *sum + x;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}

__global__ void sums(int *sum, int *lock)
{
    __shared__ int own, own_lock;
    if (threadIdx.x == 0)
        own = own_lock = 0;
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        add(&own_lock, &own, 1);
        add(&lock[threadIdx.x % 8], &sum[threadIdx.x % 8], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        add(&lock[8], &sum[8], own);
}

CASE(lock_of_each_thread)
{
    int *sum = zeros<int>(64);
    sums<<<4, 64>>>(sum, sum + 32);
    CHECK(fetch(sum + 1) == 64 && fetch(sum + 8) == 512);
}

// Without a fence behind taking the lock.

__global__ void no_acquire(int *sum)
{
    __shared__ int lock;
    if (threadIdx.x == 0)
        lock = 0;
    __syncthreads();
    while (atomicExch(&lock, 1) != 0)
        ;
    if (RIGHT)
        __threadfence_block();
    *sum += 1; // expect: missing-fence
    __threadfence_block();
    atomicExch(&lock, 0);
}

LAUNCH(lock_without_fence, no_acquire<<<1, 32>>>(zeros<int>(1)));
