// feature: cudaLaunchKernel; launches over several lines, through macros, in
// templates

#include "check.h"

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

int main()
{
    int *x = shared_zeros<int>(32);
    LAUNCH(fill, x, 3);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[31], 3);

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
    return check_result();
}
