#include "cases.h"

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

/* The classic: an atomic that does not exist, made of compare-and-swap. */
__global__ void float_maximum(float *maximum, const float *x)
{
    int *bits = (int *)maximum, old = *(volatile int *)bits, seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= x[threadIdx.x])
            break;
        old = atomicCAS(bits, seen, __float_as_int(x[threadIdx.x]));
    } while (old != seen);
}

CASE(atomics_types)
{
    u64 *l = shared_zeros<u64>(10);
    long long *ll = shared_zeros<long long>(2);
    float *f = shared_zeros<float>(3), *x = shared_zeros<float>(64);
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

    for (int n = 0; n < 64; n++)
        x[n] = (float)(n * 37 % 64);
    f[0] = 0.0f;
    float_maximum<<<1, 64>>>(f, x);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(f[0], 63);
}
