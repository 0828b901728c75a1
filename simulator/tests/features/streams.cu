#include "cases.h"
#include <thread>
#include <vector>

// feature: streams: create, wait, query, callbacks on the host

__global__ void add(int *x, int n)
{
    atomicAdd(x, n);
}

static void CUDART_CB note(void *data)
{
    *(int *)data += 100;
}

static void CUDART_CB note_status(cudaStream_t, cudaError_t status, void *data)
{
    *(int *)data += status == cudaSuccess;
}

CASE(streams)
{
    cudaStream_t a, b;
    cudaEvent_t done;
    int *x = shared_zeros<int>(1), *y, h = 0, called = 0;
    CHECK_CUDA(cudaStreamCreate(&a));
    CHECK_CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK_CUDA(cudaMallocAsync((void **)&y, sizeof(int), a));
    CHECK_CUDA(cudaMemsetAsync(y, 0, sizeof(int), a));
    add<<<1, 32, 0, a>>>(y, 1);
    CHECK_CUDA(cudaEventRecord(done, a));
    CHECK_CUDA(cudaStreamWaitEvent(b, done, 0));
    add<<<1, 32, 0, b>>>(y, 2);
    CHECK_CUDA(cudaMemcpyAsync(&h, y, sizeof h, cudaMemcpyDeviceToHost, b));
    CHECK_CUDA(cudaLaunchHostFunc(b, note, &called));
    CHECK_CUDA(cudaStreamSynchronize(b));
    CHECK_EQUAL(h, 96);
    CHECK_CUDA(cudaStreamAddCallback(b, note_status, &called, 0));
    CHECK_CUDA(cudaThreadSynchronize());
    CHECK_EQUAL(called, 101);
    CHECK_CUDA(cudaStreamQuery(a));
    CHECK_CUDA(cudaFreeAsync(y, a));
    CHECK_CUDA(cudaStreamDestroy(a));
    CHECK_CUDA(cudaStreamDestroy(b));
    CHECK_CUDA(cudaEventDestroy(done));
    add<<<1, 1>>>(x, 5);
    CHECK_CUDA(cudaStreamSynchronize(0));
    CHECK_EQUAL(*x, 5);
}

// feature: events: record, query, synchronise, elapsed time (not a GPU's time)
// remarks: cudaEventElapsedTime: the simulator's time, not a GPU's

__global__ void work(int *x)
{
    for (int i = 0; i < 100; i++)
        atomicAdd(x, 1);
}

CASE(events)
{
    cudaEvent_t begin, end;
    int *x = shared_zeros<int>(1);
    float ms = -1.0f;
    CHECK_CUDA(cudaEventCreate(&begin));
    CHECK_CUDA(cudaEventCreate(&end));
    CHECK_CUDA(cudaEventRecord(begin));
    work<<<4, 64>>>(x);
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    CHECK_CUDA(cudaEventQuery(end));
    for (int i = 0; i < 2; i++) // the second one without a word
        CHECK_CUDA(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms >= 0.0f && ms < 60000.0f);
    CHECK_EQUAL(*x, 25600);
    CHECK_CUDA(cudaEventDestroy(begin));
    CHECK_CUDA(cudaEventDestroy(end));
}

// feature: kernels that wait for the host: a launch returns, the host feeds or
// releases its kernel, work behind it stays in order, queries say not ready
// counted only: nothing else sees what a kernel waits for
// remarks: cudaEventElapsedTime: the simulator's time, not a GPU's

enum { ROUNDS = 4 };

struct mailbox {
    int request; // rounds that the host has begun
    int answer;  // rounds that the kernel has ended
    int value;
};

// the host says when, and what; the kernel answers
__global__ void serve(volatile mailbox *box)
{
    for (int round = 1; round <= ROUNDS; round++) {
        while (box->request < round)
            ;
        box->value = 3 * box->value + 1;
        __threadfence_system();
        box->answer = round;
    }
}

__global__ void wait_for(volatile int *gate, int *out)
{
    while (!*gate)
        ;
    *out = 1;
}

static void feed()
{
    mailbox *box = pinned<mailbox>(1);
    serve<<<1, 1>>>(box);
    int expected = 0;
    volatile mailbox *shared = box;
    for (int round = 1; round <= ROUNDS; round++) {
        shared->value = expected = expected + round;
        __sync_synchronize();
        shared->request = round;
        while (shared->answer < round)
            ;
        expected = 3 * expected + 1;
        CHECK_EQUAL(shared->value, expected);
    }
    CHECK_CUDA(cudaDeviceSynchronize());
}

// everything behind the kernel that waits is done in order, and later
static void release(bool managed)
{
    int *gate = managed ? shared_zeros<int>(1) : pinned<int>(1);
    int *out = room<int>(1), *copy = pinned<int>(1);
    cudaStream_t stream = new_stream();
    cudaEvent_t before = new_event(), behind = new_event();
    CHECK_CUDA(cudaEventRecord(before, stream));
    wait_for<<<1, 1, 0, stream>>>(gate, out);
    add<<<1, 1, 0, stream>>>(out, 10);
    CHECK_CUDA(
        cudaMemcpyAsync(copy, out, sizeof *out, cudaMemcpyDefault, stream));
    add<<<1, 1, 0, stream>>>(out, 100);
    CHECK_CUDA(cudaEventRecord(behind, stream));
    CHECK_CUDA(cudaEventQuery(before));
    CHECK(cudaEventQuery(behind) == cudaErrorNotReady);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    float ms = -1.0f;
    CHECK(cudaEventElapsedTime(&ms, before, behind) == cudaErrorNotReady);
    CHECK_EQUAL(*copy, 0);
    *(volatile int *)gate = 1;
    if (managed)
        while (cudaStreamQuery(stream) == cudaErrorNotReady)
            ;
    else
        CHECK_CUDA(cudaEventSynchronize(behind));
    CHECK_EQUAL(*copy, 11);
    CHECK_CUDA(cudaEventElapsedTime(&ms, before, behind));
    CHECK(ms > 0.0f);
    CHECK_CUDA(cudaMemcpy(copy, out, sizeof *out, cudaMemcpyDefault));
    CHECK_EQUAL(*copy, 111);
}

// atomics of the system's scope say that the host may join in
__global__ void count(int *counter)
{
    atomicAdd_system(counter, 1);
}

static void join_in()
{
    int *counter = shared_zeros<int>(1);
    count<<<4, 64>>>(counter);
    for (int i = 0; i < 100; i++)
        __sync_fetch_and_add(counter, 1);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(*counter, 356);
}

CASE(running_kernels)
{
    feed();
    release(false);
    release(true);
    join_in();
}

// feature: several threads of the host, each with a stream of its own

static void copy_and_add(int *sum)
{
    cudaStream_t stream = new_stream();
    int *x = zeros<int>(1024), *y = zeros<int>(1024);
    for (int i = 0; i < 100; i++) {
        add<<<1, 32, 0, stream>>>(x, 1);
        cudaMemcpyAsync(y, x, 4096, cudaMemcpyDeviceToDevice, stream);
        cudaStreamSynchronize(stream);
    }
    *sum = fetch(y);
}

CASE(host_threads)
{
    int sums[4] = {0};
    std::vector<std::thread> threads;
    for (int &sum : sums)
        threads.emplace_back(copy_and_add, &sum);
    for (std::thread &one : threads)
        one.join();
    for (int sum : sums)
        CHECK_EQUAL(sum, 3200);
}
