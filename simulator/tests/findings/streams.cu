#include "cases.h"

#include <thread>

// Launches in two streams run at the same time, unless one waits for the other:
// by an event, by the host, or because one stream is the default one.

__global__ void fill(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

__global__ void twice(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // says: kernel fill has written it
    y[i] = 2 * x[i]; // expect: stream-race
}

enum { N = 256 };

CASE(no_event)
{
    int *x = room<int>(N), *y = room<int>(N);
    cudaStream_t first = new_stream(),
                 second = new_stream(cudaStreamNonBlocking);
    cudaEvent_t filled = new_event();
    fill<<<N / 64, 64, 0, first>>>(x);
    cudaEventRecord(filled, first);
#if RIGHT
    cudaStreamWaitEvent(second, filled, 0);
#endif
    twice<<<N / 64, 64, 0, second>>>(x, y);
    cudaDeviceSynchronize();
    CHECK_EQUAL(fetch(y + 9), 18);
}

// One block each; the event is recorded too early.

__global__ void add_one(int *x)
{
    x[threadIdx.x] += 1; // expect: stream-race
}

CASE(early_event)
{
    int *x = zeros<int>(64);
    cudaStream_t first = new_stream(), second = new_stream();
    cudaEvent_t event = new_event();
#if !RIGHT
    cudaEventRecord(event, first);
#endif
    fill<<<1, 64, 0, first>>>(x);
#if RIGHT
    cudaEventRecord(event, first);
#endif
    cudaStreamWaitEvent(second, event, 0);
    add_one<<<1, 64, 0, second>>>(x);
}

// Each thread of the host has a default stream of its own. The legacy stream is
// in order with it, and with streams of cudaStreamCreate(); these two are not.

CASE(per_thread_and_another)
{
    int *x = zeros<int>(64);
    cudaStream_t work = new_stream();
    cudaEvent_t filled = new_event(cudaEventDisableTiming);
    fill<<<1, 64, 0, cudaStreamPerThread>>>(x);
#if RIGHT
    cudaEventRecord(filled, cudaStreamPerThread);
    cudaStreamWaitEvent(work, filled, 0);
#endif
    add_one<<<1, 64, 0, work>>>(x);
}

CASE(two_host_threads)
{
    int *x = zeros<int>(64);
    fill<<<2, 32, 0, cudaStreamPerThread>>>(x);
#if RIGHT
    cudaStreamSynchronize(cudaStreamPerThread);
#endif
    std::thread([&] {
        add_one<<<1, 64, 0, cudaStreamPerThread>>>(x);
        cudaStreamSynchronize(cudaStreamPerThread);
    }).join();
}

// In order, or not on the same words.

__global__ void pass_on(const int *x, int *y)
{
    y[threadIdx.x] = x[threadIdx.x];
}

CASE(streams_right)
{
    int *x = zeros<int>(256);
    cudaStream_t a = new_stream(), b = new_stream(),
                 c = new_stream(cudaStreamNonBlocking);
    fill<<<1, 64, 0, a>>>(x);
    pass_on<<<1, 64, 0, a>>>(x, x + 64); // the same stream
    fill<<<1, 64, 0, b>>>(x + 128);      // other words
    pass_on<<<1, 64>>>(x + 64, x);       // the default stream waits for all
    pass_on<<<1, 64, 0, b>>>(x, x + 64); // and they for it
    cudaStreamSynchronize(b);            // the host waits
    pass_on<<<1, 64, 0, c>>>(x, x + 192);
    pass_on<<<1, 64, 0, a>>>(x, x + 64); // both only read
    while (cudaStreamQuery(c) != cudaSuccess)
        ;
    fill<<<1, 64, 0, b>>>(x + 192);
    cudaDeviceSynchronize();
    fill<<<4, 64, 0, c>>>(x);
    cudaFree(room<int>(1)); // waits, too
    fill<<<4, 64, 0, a>>>(x);
}

// Each thread of the host has a default stream of its own, too.

CASE(per_thread_right)
{
    int *x = zeros<int>(256), *host = pinned<int>(64);
    cudaStream_t work = new_stream(), apart = new_stream(cudaStreamNonBlocking);
    fill<<<1, 64, 0, cudaStreamPerThread>>>(x);
    pass_on<<<1, 64>>>(x, x + 64);          // the legacy stream waits for all
    pass_on<<<1, 64, 0, work>>>(x + 64, x); // and they for it
    pass_on<<<1, 64>>>(x, x + 64);
    pass_on<<<1, 64, 0, cudaStreamPerThread>>>(x + 64, x);
    cudaMemcpy(host, x, 256, cudaMemcpyDefault); // the host waits for it
    fill<<<1, 64, 0, apart>>>(x);
    cudaStreamSynchronize(apart);
    fill<<<1, 64, 0, cudaStreamPerThread>>>(x);
    cudaMemcpy(x, host, 256, cudaMemcpyDefault); // from pinned memory: the same
    pass_on<<<1, 64, 0, apart>>>(x, x + 64);
}

// Work behind work of others: a chain of events through three streams.

CASE(chain_of_events)
{
    int *x = zeros<int>(64);
    cudaStream_t streams[3];
    cudaEvent_t event = new_event(cudaEventDisableTiming);
    for (int i = 0; i < 3; i++)
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    for (int i = 0; i < 9; i++) {
        cudaStreamWaitEvent(streams[i % 3], event, 0);
        fill<<<1, 64, 0, streams[i % 3]>>>(x);
        cudaEventRecord(event, streams[i % 3]);
    }
}

CASE(copies_right)
{
    char *x = room<char>(N), *host = pinned<char>(N);
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemsetAsync(x, 1, 99, a);          // neighbours, byte by byte
    cudaMemsetAsync(x + 99, 2, N - 99, b); // in different streams
    cudaMemcpy(host, x, N, cudaMemcpyDefault);
    CHECK_EQUAL(host[98] + host[99], 3);
    cudaMemsetAsync(x, 1, N, b);
    cudaMemcpyAsync(host, x, N, cudaMemcpyDefault, b);
    cudaStreamSynchronize(b);
}

// Copies, as long as host code does not wait for them.

__global__ void sum_up(const int *x, int *sum)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        atomicAdd(sum, x[i]); // expect: stream-race
}

CASE(copies)
{
    int *x = zeros<int>(N), *sum = zeros<int>(1), *host = pinned<int>(N);
    cudaStream_t copies = new_stream(), work = new_stream();
    for (int i = 0; i < N; i++)
        host[i] = 1;
    cudaMemcpyAsync(x, host, N * sizeof(int), cudaMemcpyHostToDevice, copies);
#if RIGHT
    cudaStreamSynchronize(copies);
#endif
    sum_up<<<1, 64, 0, work>>>(x, sum);
#if RIGHT
    cudaStreamSynchronize(work);
#endif
    cudaMemcpyAsync(host, sum, 4, cudaMemcpyDeviceToHost, // expect: stream-race
                    copies);
    cudaDeviceSynchronize();
    CHECK_EQUAL(host[0], N);
}

// A variable of the device is memory like any other.

__device__ int limits[64];

__global__ void use_limits(int *x)
{
    x[threadIdx.x] = limits[threadIdx.x]; // expect: stream-race
}

CASE(variable)
{
    int *x = room<int>(64);
    void *variable;
    cudaStream_t side = new_stream(cudaStreamNonBlocking),
                 work = new_stream(cudaStreamNonBlocking);
    cudaGetSymbolAddress(&variable, limits);
    cudaMemsetAsync(variable, 1, sizeof limits, side);
#if RIGHT
    cudaStreamSynchronize(side);
#endif
    use_limits<<<1, 64, 0, work>>>(x);
    cudaDeviceSynchronize();
    CHECK_EQUAL(fetch(x + 9), 0x01010101);
}

// So are constants; a copy from pageable memory goes on when it has returned.

__constant__ int weights[64];

__global__ void use_weights(int *x)
{
    // says: from pageable memory it may go on when
    x[threadIdx.x] = weights[threadIdx.x]; // expect: stream-race
}

CASE(constant)
{
    const int host[64] = {3};
    cudaStream_t work = new_stream(cudaStreamNonBlocking);
    cudaMemcpyToSymbol(weights, host, sizeof host); // says: HERE
#if RIGHT
    cudaStreamSynchronize(NULL);
#endif
    use_weights<<<1, 64, 0, work>>>(room<int>(64));
}

__global__ void set_limits()
{
    limits[threadIdx.x] = 7;
}

CASE(copied_variable)
{
    int *host = pinned<int>(64);
    cudaStream_t side = new_stream(cudaStreamNonBlocking),
                 work = new_stream(cudaStreamNonBlocking);
    set_limits<<<1, 64, 0, work>>>();
#if RIGHT
    cudaStreamSynchronize(work);
#endif
    cudaMemcpyFromSymbolAsync(host, limits, // expect: stream-race
                              sizeof limits, 0, cudaMemcpyDeviceToHost, side);
    cudaStreamSynchronize(side);
    CHECK_EQUAL(host[9], 7);
}

// So is a workspace, and its blocks may wait for each other.

__device__ int shared_work[64];

__global__ void through_work(int *x)
{
    shared_work[threadIdx.x] = x[threadIdx.x]; // expect: stream-race
    __syncthreads();
    x[threadIdx.x] = shared_work[63 - threadIdx.x];
}

CASE(one_workspace)
{
    int *x[] = {zeros<int>(64), zeros<int>(64)};
    for (int i = 0; i < 2; i++) {
        void *args[] = {&x[i]};
        cudaStream_t stream = RIGHT ? 0 : new_stream();
        cudaLaunchCooperativeKernel(through_work, 1, 64, args, 0, stream);
    }
}

// The next part of the data is written where a copy may still read the last
// one.

__global__ void add_up(const int *x, int *sum)
{
    atomicAdd(sum, x[threadIdx.x]);
}

CASE(changed_source)
{
    int *x = room<int>(64), *sum = zeros<int>(1), *host = pinned<int>(64),
        *result = pinned<int>(1);
    cudaStream_t stream = new_stream();
    for (int part = 0; part < 3; part++) {
        for (int i = 0; i < 64; i++)
            host[i] = part;
        cudaMemcpyAsync(x, host, 256, // expect: changed-source
                        cudaMemcpyHostToDevice, stream);
        add_up<<<1, 64, 0, stream>>>(x, sum);
        cudaMemcpyAsync(result, sum, 4, cudaMemcpyDefault, stream);
#if RIGHT
        cudaStreamSynchronize(stream);
#endif
    }
    cudaStreamSynchronize(stream);
    CHECK_EQUAL(fetch(sum), 192);
}

// Others may write there in the order of the stream; the host behind an event.

CASE(sources_right)
{
    int *x = room<int>(64), *sum = zeros<int>(1), *host = pinned<int>(64);
    cudaStream_t stream = new_stream();
    cudaEvent_t copied = new_event();
    for (int i = 0; i < 64; i++)
        host[i] = 1;
    cudaMemcpyAsync(x, host, 256, cudaMemcpyDefault, stream);
    cudaEventRecord(copied, stream);
    add_up<<<1, 64, 0, stream>>>(x, sum);
    cudaEventSynchronize(copied);
    host[0] = 2;
    cudaMemcpyAsync(x, host, 256, cudaMemcpyDefault, stream);
    add_up<<<1, 64, 0, stream>>>(x, sum);
    cudaMemcpyAsync(host, sum, 4, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(x, host, 256, cudaMemcpyDefault, stream);
    fill<<<1, 64, 0, stream>>>(host);
    cudaStreamSynchronize(stream);
    CHECK_EQUAL(fetch(sum), 129);
}

// A copy to pinned memory: the host looks at what it brings too early.

CASE(read_too_early)
{
    int *x = zeros<int>(64), *host = pinned<int>(64);
    cudaStream_t stream = new_stream();
    fill<<<1, 64, 0, stream>>>(x);
    cudaMemcpyAsync(host, x, 256, cudaMemcpyDeviceToHost, stream);
#if RIGHT
    cudaStreamSynchronize(stream);
#endif
    // says: the copy of line
    CHECK_EQUAL(host[9], 9); // expect: host-dereference
}

CASE(written_too_early)
{
    enum { MANY = 5000, CHUNK = 2048 };
    alignas(4096) static int host[MANY]; // else luck where its pages begin
    int *x = zeros<int>(MANY);
    cudaHostRegister(host, sizeof host, cudaHostRegisterDefault);
    cudaMemcpyAsync(host + 1, x, CHUNK * 4, cudaMemcpyDeviceToHost, NULL);
    host[4000] = 1; // nothing comes there
#if RIGHT
    cudaDeviceSynchronize();
#endif
    host[1500] = 1; // expect: host-dereference
}

// A kernel stores to pinned memory: the same; its fences tell the host nothing.

__global__ void fill_and_fence(int *x)
{
    x[threadIdx.x] = 7;
    __threadfence_system();
}

CASE(stored_too_early)
{
    int *host = pinned<int>(64);
    fill_and_fence<<<1, 64>>>(host);
#if RIGHT
    cudaDeviceSynchronize();
#endif
    // says: the kernel of line
    CHECK_EQUAL(host[9], 7); // expect: host-dereference
}

// It may look beside what a kernel stores, and at what a flag tells it.

__global__ void tell(int *x, volatile int *flag)
{
    *x = 7;
    __threadfence_system();
    *flag = 1;
}

CASE(stores_right)
{
    int *host = pinned<int>(64), *flag = pinned<int>(1);
    cudaStream_t stream = new_stream();
    fill<<<1, 32>>>(host);
    host[32] = host[33] + 1;
    cudaStreamSynchronize(NULL);
    CHECK_EQUAL(host[9] + host[32], 10);
    pass_on<<<1, 32, 0, stream>>>(host, host + 32);
    cudaStreamSynchronize(stream);
    tell<<<1, 1, 0, stream>>>(host, flag);
    while (!*(volatile int *)flag) {
    }
    CHECK_EQUAL(host[0], 7);
}

// Kernels and copies in the order of the stream may use it, and functions of
// the host there; and the host behind an event, in parts.

CASE(destinations_right)
{
    int *x = room<int>(64), *y = room<int>(64), *host = pinned<int>(64);
    cudaStream_t stream = new_stream();
    cudaEvent_t copied = new_event();
    fill<<<1, 64, 0, stream>>>(x);
    cudaMemcpyAsync(host, x, 256, cudaMemcpyDefault, stream);
    add_one<<<1, 64, 0, stream>>>(host);
    cudaMemcpyAsync(y, host, 256, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(host, x, 256, cudaMemcpyDefault, stream);
    cudaLaunchHostFunc(
        stream, [](void *p) { *(int *)p += 7; }, host + 9);
    cudaMemcpyAsync(x, host, 256, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(host, y, 256, cudaMemcpyDefault, stream);
    cudaEventRecord(copied, stream);
    fill<<<1, 64, 0, stream>>>(y);
    while (cudaEventQuery(copied) == cudaErrorNotReady) {
    }
    CHECK_EQUAL(host[9], 10);
    CHECK_EQUAL(fetch(x + 9), 16);
}
