#include <cuda/atomic>

#include "cases.h"

__device__ void change(int *i, unsigned *u, float *f)
{
    int t = threadIdx.x;
    atomicAdd(&i[0], t);
    atomicSub(&i[1], t);
    atomicMin(&i[2], t - 40);
    atomicMax(&i[3], t);
    atomicAnd(&i[4], ~(1 << t % 32));
    atomicOr(&i[5], 1 << t % 16);
    atomicXor(&i[6], 1 << t % 32);
    atomicInc(&u[0], 9); // 0 ... 9, then 0 again
    atomicDec(&u[1], 9); // 0, then 9 ... 0
    atomicMin(&u[2], (unsigned)(t - 40));
    atomicMax(&u[3], (unsigned)(t - 40));
    atomicAdd(f, 0.5f);
    if (t == 5) {
        i[7] = atomicExch(&i[8], 17);
        i[9] = atomicCAS(&i[10], 3, 30); // equal: swapped
        i[11] = atomicCAS(&i[12], 4, 40);
    }
}

/** Of one block, where @p i, @p u and @p f are. */
__device__ void check_changes(int *i, unsigned *u, float *f)
{
    const int before[13] = {0, 0, 0, 0, -1, 0, 0, 0, 8, 0, 3, 0, 3};
    const int after[13] = {2016, -2016, -40, 63, 0, 0xffff, 0,
                           8,    17,    3,   30, 3, 3};
    int t = threadIdx.x;
    if (t < 13)
        i[t] = before[t];
    if (t < 4)
        u[t] = t == 2 ? 0x80000000u : 0;
    if (t == 0)
        *f = 0.0f;
    __syncthreads(); // all are set
    change(i, u, f);
    __syncthreads(); // all have changed them
    if (t < 13)
        CHECK_EQUAL(i[t], after[t]);
    CHECK(u[0] == 4 && u[1] == 6 && u[2] == 0 && u[3] == 0xffffffffu);
    CHECK_EQUAL(*f, 32);
}

// feature: atomics on global memory: add sub min max and or xor exch CAS inc
// dec

__global__ void on_global(int *i, unsigned *u, float *f)
{
    check_changes(i, u, f);
}

__global__ void returned(int *counter, int *order)
{
    order[atomicAdd(counter, 1)] = 1;
}

CASE(atomics_global)
{
    on_global<<<1, 64>>>(room<int>(13), room<unsigned>(4), room<float>(1));
    int *order = shared_zeros<int>(64), sum = 0;
    returned<<<2, 32>>>(zeros<int>(1), order); // each gets a number of its own
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int n = 0; n < 64; n++)
        sum += order[n];
    CHECK_EQUAL(sum, 64);
}

// feature: atomics on shared memory

__global__ void on_shared()
{
    __shared__ int i[13];
    __shared__ unsigned u[4];
    __shared__ float f;
    check_changes(i, u, &f);
}

LAUNCH(atomics_shared, on_shared<<<1, 64>>>());

// feature: atomicAdd of float: denormal numbers are 0 in global memory

__global__ void add_denormals(float *global)
{
    __shared__ float shared;
    shared = 0x1p-127f;
    atomicAdd(&shared, 0x1p-127f);
    CHECK(shared == 0x1p-126f);
    atomicAdd(&global[0], 0x1p-127f);
    atomicAdd(&global[1], -0x1p-126f); // and the sum is denormal
    CHECK(global[0] == 0.0f && global[1] == 0.0f);
}

CASE(atomics_denormal)
{
    float *x = shared_zeros<float>(2);
    x[1] = 0x1.8p-126f;
    add_denormals<<<1, 1>>>(x);
}

// feature: atomics of every type: unsigned, 64 bits, float, double; _block
// _system

typedef unsigned long long u64;

__global__ void types(u64 *l, long long *ll, float *f, double *d, unsigned *u,
                      int *i)
{
    u64 t = threadIdx.x;
    atomicAdd(&l[0], t << 32);
    atomicMax(&l[1], t << 40);
    atomicMin(&l[2], t + 5);
    atomicAnd(&l[3], ~(1ull << t));
    atomicOr(&l[4], 1ull << t);
    atomicXor(&l[5], 1ull << t);
    atomicMin(&ll[0], -(long long)t);
    atomicMax(&ll[1], (long long)t);
    atomicAdd(&f[0], 0.25f);
    atomicAdd(&d[0], 0.125);
    atomicAdd(&u[0], 3u);
    atomicAdd_block(&i[0], 1);
    atomicAdd_system(&i[1], 2);
    if (t == 0) {
        f[2] = atomicExch(&f[1], 2.5f);
        l[7] = atomicCAS(&l[6], 6, 1ull << 50);
        l[9] = atomicExch(&l[8], 1ull << 60);
        u[2] = atomicCAS(&u[1], 0u, 7u);
    }
}

CASE(atomics_types)
{
    u64 *l = shared_zeros<u64>(10);
    long long *ll = shared_zeros<long long>(2);
    float *f = shared_zeros<float>(3);
    double *d = shared_zeros<double>(1);
    unsigned *u = shared_zeros<unsigned>(3);
    int *i = shared_zeros<int>(2);
    l[2] = l[3] = ~0ull;
    l[6] = 6;
    types<<<1, 64>>>(l, ll, f, d, u, i);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(l[0] == 2016ull << 32 && l[1] == 63ull << 40 && l[2] == 5);
    CHECK(l[3] == 0 && l[4] == ~0ull && l[5] == ~0ull);
    CHECK(l[6] == 1ull << 50 && l[7] == 6 && l[8] == 1ull << 60 && l[9] == 0);
    CHECK(ll[0] == -63 && ll[1] == 63);
    CHECK(f[0] == 16.0f && f[1] == 2.5f && f[2] == 0.0f && d[0] == 8.0);
    CHECK(u[0] == 192 && u[1] == 7 && u[2] == 0 && i[0] == 64 && i[1] == 128);
}

// feature: `cuda::atomic` and `atomic_ref` of 4 and 8 bytes, and its fences

typedef cuda::atomic<int, cuda::thread_scope_device> counter;

__global__ void libcu_words(counter *n, float *sum, int *seen)
{
    __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> inside;
    if (threadIdx.x == 0)
        inside = 0;
    __syncthreads();
    inside.fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(
        0.5f, cuda::std::memory_order_relaxed);
    __syncthreads();
    cuda::atomic_ref<int> mine(seen[blockIdx.x]);
    if (threadIdx.x == 0)
        mine = (int)inside.load();
    int was = n->load(cuda::memory_order_relaxed);
    while (!n->compare_exchange_weak(was, was + 2, cuda::memory_order_relaxed))
        continue;
    (*n)++;
    *n -= 1;
    mine.fetch_max(-5);
    mine.fetch_min(1 << 20);
}

CASE(libcu_atomics)
{
    counter *n;
    float *sum = shared_zeros<float>(1);
    int *seen = shared_zeros<int>(2);
    CHECK_CUDA(cudaMallocManaged(&n, sizeof(*n)));
    n->store(10);
    CHECK_EQUAL(n->fetch_add(5), 10);
    libcu_words<<<2, 64>>>(n, sum, seen);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(n->load(), 15 + 2 * 128);
    CHECK_EQUAL(*sum, 64);
    CHECK(seen[0] == 64 && seen[1] == 64);
    cuda::std::atomic<long long> x(3);
    x += 4;
    long long six = 6;
    CHECK(x == 7 && sizeof(x) == 8 && x.exchange(9) == 7);
    CHECK(!x.compare_exchange_strong(six, 6) && six == 9);
}
