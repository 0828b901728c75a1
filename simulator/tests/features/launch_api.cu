#include "cases.h"

// feature: cudaLaunchKernel; launches over several lines, through macros, in
// templates; arguments 0, NULL and in braces

#define THREADS 32
#define LAUNCH(kernel, ...) kernel<<<1, THREADS>>>(__VA_ARGS__)

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value;
}

template <int N>
__global__ void fill_number(int *x)
{
    x[threadIdx.x] = N;
}

template <int N>
static void launch_number(int *x)
{
    fill_number<N><<<dim3(1), dim3(THREADS)>>>(x);
}

static int evaluated;

static int once()
{
    return ++evaluated;
}

struct range {
    int first, last;
};

__global__ void fill_range(int *x, const int *add, range r, float2 scale)
{
    int i = threadIdx.x;
    if (i >= r.first && i <= r.last)
        x[i] = (int)(i * scale.x + scale.y) + (add ? add[i] : 1);
}

template <class T>
__global__ void fill_any(T *x, T value, const T *add)
{
    x[threadIdx.x] = value + (add ? add[threadIdx.x] : 5);
}

static void without_types(int *x)
{
    fill_range<<<1, 32>>>(x, 0, {8, 9}, {2, 0.5f});
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(x[8] == 17 && x[9] == 19 && x[10] == 3);
    fill_range<<<1, 32>>>(x, NULL, range{0, 3}, {});
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(x[0] == 1 && x[3] == 1 && x[4] == 3);
    fill_any<<<1, 32>>>(x, 0, (const int *)0);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(x[31] == 5);
    fill_any<int><<<1, 32>>>(x, 0, 0);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(x[31] == 5);
}

CASE(launch_api)
{
    int *x = shared_zeros<int>(32);
    LAUNCH(fill, x, 3);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[31], 3);

    without_types(x);

    fill<<<     // comments
        1,      // and > >> >>> in them
        THREADS // do no harm
        >>>(x, once());
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[31], 1);
    CHECK_EQUAL(evaluated, 1);

    const char *text = "fill<<<1, 1>>>(x, 0);"; // a string is no launch
    CHECK_EQUAL(strlen(text), 21);

    if (x[0] == 1)
        launch_number<8>(x);
    else
        fill<<<1, 1>>>(x, 0);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[31], 8);

    int value = 21;
    void *arguments[] = {&x, &value};
    CHECK_CUDA(cudaLaunchKernel(fill, dim3(1), dim3(32), arguments, 0, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[31], 21);
}
