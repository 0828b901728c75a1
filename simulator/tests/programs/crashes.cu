// Programs that end badly, for test_findings.py. Where a case has several ways
// to do so, a number behind its name says which.

#include "cases.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- endless: a kernel with a race, and one that never ends, for Ctrl-C -- */

__global__ void count(int *n)
{
    ++*n; // the race
}

__global__ void wait_for(volatile int *flag)
{
    while (*flag == 0) { // it spins
    }
}

CASE(endless)
{
    int *flag = zeros<int>(1);
    count<<<4, 1>>>(zeros<int>(1));
    cudaDeviceSynchronize();
    puts("counted");
    fflush(stdout);
    wait_for<<<4, 32>>>(flag);
}

/* ---- host: its code does what it may not --------------------------------- */

__device__ float total;
__constant__ float table[4];
__managed__ float both;

__global__ void fill(float *x)
{
    int i = threadIdx.x; // host 15 plain: kernel-call: a kernel is called
    x[i] = 1 + table[0];
    if (i == 0)
        total = both = 2;
}

__global__ void only_waits(float *)
{
    __syncthreads();
}

CASE(host)
{
    int which = check_argument, five = atoi("5");
    float *d, *m, here[4] = {0}, sum = 0;
    if (which == 13)
        total = 1; // host 13 counted: host-dereference: write of total
    cudaMalloc(&d, 32 * sizeof(float));
    cudaMallocManaged(&m, 32 * sizeof(float));
    if (which == 12)
        cudaFree(here); // host 12: invalid-free: host memory
    m[3] = 1;           // right: no kernel runs
    fill<<<1, 32>>>(d);
    fill<<<1, 32>>>(m);
    if (which == 1)
        sum = d[3]; // host 1: host-dereference: read of d[3]
    if (which == 2)
        d[4] = 1; // host 2: host-dereference: write of d[4]
    if (which == 3)
        memcpy(here, d + five, 16); // host 3: host-dereference: read of d[5]
    if (which == 16)
        cudaMalloc((void **)d, 8); // host 16: host-dereference: write of d[0]
    if (which == 4)
        sum = total; // host 4 counted: host-dereference: read of total
    if (which == 5)
        table[1] = 1; // host 5 counted: host-dereference: write of table[1]
    if (which == 6)
        sum = m[7]; // host 6: host-dereference: read of m[7]
    if (which == 8)
        sum = both; // host 8 counted: host-dereference: managed
    cudaDeviceSynchronize();
    sum += both;
    sum += m[7]; // right: the kernels have ended
    cudaMemcpyFromSymbol(&here[0], total, sizeof(float));
    cudaMemcpy(&here[1], d, sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; which == 9 && i < 1000; i++)
        fill<<<1, 32>>>(d);
    if (which == 9)
        sum += d[6]; // host 9: host-dereference: read of d[6]
    if (which == 10) {
        cudaMalloc(&m, 8 * sizeof(float));
        cudaMemcpy( // host 10 counted: uninitialised-global: copy of m[0]
            here, m, sizeof here, cudaMemcpyDeviceToHost);
        here[0] = 2, here[1] = 1;
    }
    cudaFree(d);
    if (which == 7)
        sum += d[0]; // host 7: host-dereference: read of d[0]
    if (which == 11)
        cudaFree(d); // host 11: invalid-free: was freed
    void (*kernel)(float *) = which == 15 ? fill : only_waits;
    if (which >= 14)
        kernel(NULL); // host 14 counted: kernel-call: only_waits is called
    exit(sum < 0 || here[0] != 2 || here[1] != 1);
}

/* ---- named: outside of arrays whose shapes the program has told; a fork -- */

extern "C" void sim_name_array(const void *, const char *, size_t, int64_t,
                               int64_t);

__global__ void read_one(const float *x, int index, float *out)
{
    *out = x[index];
}

CASE(named)
{
    int which = check_argument;
    float *A = zeros<float>(3 * 68 + 64); // 4 x 64, row pitch 68
    float *sum = room<float>(4), *out = room<float>(1);
    sim_name_array(A, "A", sizeof(float), 64, 68);
    sim_name_array(sum, "sum", sizeof(float), 4, 0);
    const int index[] = {3 * 68 + 64, 6 * 68 + 2, -68, 7};
    if (which < 4) {
        read_one<<<1, 1>>>(which == 3 ? sum : A, index[which], out);
        return;
    }
    read_one<<<1, 1>>>(A, 0, out);
    int status = 0;
    if (fork() == 0)
        read_one<<<1, 1>>>(A, 1, out); // by a child
    else
        wait(&status);
    exit(WEXITSTATUS(status));
}

/* ---- wild: through a number that is no address --------------------------- */

__global__ void wild_store(int *x)
{
    *x = 1;
}

// In plain mode there is no check before the access: the processor objects.
CASE(wild)
{
    wild_store<<<1, 1>>>((int *)16); // launched here
}
