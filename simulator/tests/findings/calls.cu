// counted only: plain mode does not see whether a result is used
#include "cases.h"
#include <string>
#include <vector>

__constant__ float coef[4];
__device__ float table[8];
__device__ int after_table;

__global__ void square(float *x)
{
    x[threadIdx.x] *= x[threadIdx.x] + coef[threadIdx.x % 4];
}

// The results stay where they are: the direction is wrong, and nobody has
// looked at the error. With a destructor in the function, too.

CASE(wrong_direction)
{
    std::vector<float> host(32);
    float *x = zeros<float>(32);
    square<<<1, 32>>>(x);
    // says: cudaMemcpyHostToDevice: the target is memory of the host
    cudaMemcpy(host.data(), x, 128, // expect: unread-error
               RIGHT ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}

CASE(too_many_bytes)
{
    static float host[64];
    float *x;
    cudaMalloc(&x, 32);
    // says: 256 bytes, and of the target, x[0], there are 32
    cudaMemcpy(x, host, RIGHT ? 32 : sizeof host, // expect: unread-error
               cudaMemcpyHostToDevice);
    cudaMemset(host, 0, 32 * !RIGHT); // expect: unread-error
}

// The arrays of the host are shorter than what is copied.

CASE(short_array)
{
    float *x = zeros<float>(64), local[32], *heap = new float[RIGHT ? 64 : 32];
    static float fixed[64];
    std::vector<float> list(RIGHT ? 64 : 32);
    cudaMemcpy(heap, x, 256, cudaMemcpyDeviceToHost); // expect: host-overrun
    // says: 128 bytes are copied to an array of the host that has 124
    cudaMemcpy(local + !RIGHT, x, 128, // expect: host-overrun
               cudaMemcpyDeviceToHost);
    // says: 252 bytes are copied from
    cudaMemcpy(x, fixed + 33 * !RIGHT, // expect: host-overrun
               RIGHT ? 256 : 252, cudaMemcpyHostToDevice);
    cudaMemcpy(list.data(), x, 256, // expect: host-overrun
               cudaMemcpyDeviceToHost);
    CHECK_EQUAL(heap[0] + local[1] + list[0], 0);
}

CASE(beyond_the_symbol)
{
    float host[8] = {};
    // says: 32 bytes from byte 0 on, and the variable has 16
    cudaMemcpyToSymbol(coef, host, RIGHT ? 16 : 32); // expect: unread-error
}

CASE(no_device)
{
    // says: device 3: there is one here, number 0
    cudaSetDevice(RIGHT ? 0 : 3); // expect: unread-error
}

// Whoever looks may do with an error what he likes.

static bool failed(cudaError_t error)
{
    return error != cudaSuccess;
}

CASE(errors_that_are_read)
{
    std::string text(cudaGetErrorName(cudaSetDevice(1)));
    CHECK(text == "cudaErrorInvalidDevice");
    CHECK(failed(cudaSetDevice(2)));
    cudaError_t error = cudaMemcpy(&text, NULL, 8, cudaMemcpyDeviceToHost);
    if (error)
        error = cudaGetLastError();
    CHECK_EQUAL(error, cudaErrorInvalidValue);
    cudaSetDevice(3);
    CHECK_EQUAL(cudaGetLastError(), cudaErrorInvalidDevice);
    cudaEvent_t event = new_event();
    cudaEventQuery(event);
}

// The host has not waited for the event when it asks how long that took. Asked
// again and again, it happens.

CASE(event_too_early)
{
    float ms = -1;
    cudaEvent_t start = new_event(), end = new_event();
    cudaEventRecord(start);
    square<<<1, 32>>>(zeros<float>(32));
    cudaEventRecord(end);
    // says: cudaEventSynchronize comes first
    cudaEventElapsedTime(&ms, start, end); // expect: unread-error
    CHECK_EQUAL(ms, -1);
}

CASE(event_asked_twice)
{
    float ms;
    cudaEvent_t start = new_event(), end = new_event();
    cudaEventRecord(start);
    square<<<1, 32>>>(zeros<float>(32));
    cudaEventRecord(end);
    cudaError_t error = cudaErrorNotReady;
    while (error == cudaErrorNotReady)
        error = cudaEventElapsedTime(&ms, start, end); // expect: not-ready-note
    CHECK_CUDA(error);
}

// A variable's name is an address of the host in host code.

CASE(copy_to_a_name)
{
    float host[4] = {1, 2, 3, 4};
#if RIGHT
    cudaMemcpyToSymbol(coef, host, sizeof host);
#else
    // says: coef is a variable of the device
    cudaMemcpy(coef, host, sizeof host, // expect: symbol-address
               cudaMemcpyHostToDevice);
#endif
    square<<<1, 32>>>(zeros<float>(32));
}

CASE(name_as_an_argument)
{
    float *x = table;
    if (RIGHT)
        cudaGetSymbolAddress((void **)&x, table);
    // says: square: an argument is table, a variable of the device
    square<<<1, 8>>>(x); // expect: symbol-address
    CHECK_EQUAL(cudaDeviceSynchronize(),
                RIGHT ? cudaSuccess : cudaErrorIllegalAddress);
}

CASE(name_as_a_string)
{
    float host[4] = {};
    // says: a string is no symbol
    cudaError_t error =
#if RIGHT
        cudaMemcpyToSymbol(coef, host, sizeof host);
#else
        cudaMemcpyToSymbol("coef", host, 4); // expect: symbol-address
#endif
    CHECK_EQUAL(error, RIGHT ? cudaSuccess : cudaErrorInvalidSymbol);
}

// Through a pointer they have an end, too.

__global__ void shift(int by)
{
    const float *from = coef;
    float *to = table;
    // says: read of coef[4]
    to[threadIdx.x] = from[threadIdx.x + by]; // expect: out-of-bounds-global
    if (threadIdx.x == 0)
        after_table = 1;
}

LAUNCH(beyond_a_constant, shift<<<1, 4>>>(!RIGHT));

__global__ void store(int by)
{
    float *to = table;
    // says: 1 element past the end of table[8]
    to[threadIdx.x + by] = 1; // expect: out-of-bounds-global
}

LAUNCH(beyond_a_variable, store<<<1, 8>>>(!RIGHT));

// The program ends, and what its kernel has printed stays on the GPU.

__global__ void hello()
{
    if (!RIGHT)
        printf("hello\n");
}

CASE(lost_output)
{
    hello<<<1, 1>>>(); // expect: lost-output
    exit(0);
}
