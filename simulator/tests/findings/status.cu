#include "cases.h"
#include <assert.h>
#include <cooperative_groups.h>
#include <unistd.h>

// A program that fails by itself keeps its own status, finding or not.

__global__ void last_wins(int *out)
{
    out[0] = blockIdx.x; // expect: global-race
}

CASE(own_status)
{
    last_wins<<<8, 1>>>(room<int>(1));
    cudaDeviceSynchronize();
    exit(3); // status: 3
}

// An assertion of the host ends the program; what was found is shown, too.

CASE(host_assertion)
{
    last_wins<<<8, 1>>>(room<int>(1));
    cudaDeviceSynchronize();
    assert(1 + 1 == 3); // status: -6
    puts("never here");
}

// _exit() ends a program at once; its findings are shown all the same.

CASE(exit_at_once)
{
    last_wins<<<8, 1>>>(room<int>(1));
    _exit(0);
}

// An assertion that fails in one thread ends the launch. The program has seen
// the error, so it decides about its status.

__global__ void positive(const int *x)
{
    assert(x[threadIdx.x] > 0); // expect: assertion
}

CASE(assertion)
{
    int *x = shared_zeros<int>(32);
    for (int i = 0; i < 32; i++)
        x[i] = RIGHT || i != 13;
    positive<<<1, 32>>>(x);
    CHECK_EQUAL(cudaDeviceSynchronize(), RIGHT ? cudaSuccess : cudaErrorAssert);
    // status: 0
}

// A program that expects its assertion to fail, and says so, keeps its status.

CASE(assertion_expected)
{
    positive<<<1, 1>>>(zeros<int>(1));
    const char *text = cudaGetErrorString(cudaDeviceSynchronize());
    CHECK(strstr(text, "assert")); // status: 0
}

// No call has told this program that its assertion has failed.

CASE(assertion_unseen)
{
    positive<<<1, 1>>>(zeros<int>(1));
    exit(0);
}

// __trap() is no assertion: the launch fails, and so does a program that has
// seen it.

__global__ void stops(int *x)
{
    if (*x == 0)
        __trap(); // expect: trap
}

CASE(trap)
{
    stops<<<1, 1>>>(zeros<int>(1));
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

// Integer division by zero: a GPU gives some number and says nothing. In
// floating point zero is a divisor like any other: the quotient is infinite.

template <bool REST>
__global__ void divide(const int *divisor, int *out, float *quotient)
{
    int t = threadIdx.x, d = divisor[t];
    if (!RIGHT || d != 0)
        out[t] = REST ? 7u % (unsigned)d : 7 / d; // expect: division-by-zero
    quotient[t] = 1.0f / (float)d;
}

LAUNCH(division_by_zero, divide<false>
       <<<1, 32>>>(zeros<int>(32), room<int>(32), room<float>(32)));

LAUNCH(modulo_by_zero,
       divide<true><<<1, 32>>>(zeros<int>(32), room<int>(32), room<float>(32)));

// A pointer to a function leads to the host's, which are not on the GPU.

float twice_on_host(float x)
{
    return 2 * x;
}

__device__ float twice_here(float x)
{
    return 2 * x;
}

__device__ float (*chosen)(float) = twice_here;

__global__ void change(float *x, float (*f)(float))
{
    x[threadIdx.x] = f(x[threadIdx.x]); // expect: host-function
}

CASE(function_of_the_host)
{
    float *x = zeros<float>(32);
    float (*f)(float) = twice_on_host;
#if RIGHT
    cudaMemcpyFromSymbol(&f, chosen, sizeof f);
#endif
    change<<<1, 32>>>(x, f);
}

/* ---- three in one program: causes first, each once, with a count --------- */

// consequence: uninitialised-shared
__global__ void three_findings(int *x, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    int first = x[t];       // expect: uninitialised-global
    s[t] = first;           // expect-one: shared-race
    int second = s[63 - t]; // expect-one: shared-race
    out[t] = second;        // expect: global-race
}

CASE(three)
{
    int *x = room<int>(64), *out = room<int>(64);
    three_findings<<<4, 64>>>(x, out);
    three_findings<<<4, 64>>>(x, out);
}

// A step beyond each limit, and a grid of no block.

__global__ void nothing()
{
}

CASE(beyond)
{
    int n = 100;
    nothing<<<1, dim3(32, 33)>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<1, dim3(1, 1, 65)>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<dim3(1, 65536), 1>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<n / 256, 256>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidConfiguration);
    nothing<<<1, 32, 48 * 1024 + 1>>>(); // expect: launch-limits
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidValue);
}

// The largest of everything that needs no permission, and what needs it.

CASE(largest)
{
    nothing<<<1, dim3(32, 32)>>>();
    nothing<<<1, dim3(1, 1, 64)>>>();
    nothing<<<dim3(1, 65535), 1>>>();
    nothing<<<1, 32, 48 * 1024>>>();
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         64 * 1024);
    nothing<<<1, 32, 64 * 1024>>>();
    CHECK_CUDA(cudaGetLastError());
}

// More threads than __launch_bounds__ promises: the registers are not there.

#define MOST 64

__global__ void __launch_bounds__(2 * MOST, 1) fill(int *x)
{
    x[threadIdx.x] = 1;
}

template <int THREADS>
__global__ __launch_bounds__(THREADS) void fill_less(int *x)
{
    x[threadIdx.x] = 1;
}

CASE(bounds)
{
    int *x = room<int>(256);
    fill<<<1, dim3(16, 16)>>>(x); // expect: launch-limits
                                  // says: at most 128
    CHECK(cudaGetLastError() != cudaSuccess);
    fill_less<32><<<1, 64>>>(x); // expect: launch-limits
    CHECK(cudaGetLastError() != cudaSuccess);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(256);
    cudaLaunchKernelEx(&config, fill, x); // expect: launch-limits
    CHECK(cudaGetLastError() != cudaSuccess);
    fill<<<1, 2 * MOST>>>(x);
    fill_less<64><<<1, 64>>>(x);
    CHECK_CUDA(cudaDeviceSynchronize());
}

// A barrier of the grid in an ordinary launch: its blocks need not be there at
// once.

__global__ void meet(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    data[grid.thread_rank()] = 1;
    grid.sync(); // expect: launch-limits
}

LAUNCH(grid_sync, meet<<<2, 64>>>(room<int>(128)));
