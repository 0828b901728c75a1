// A ticket orders what comes before it, not what a block does behind it.

#include <cuda_runtime.h>

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

int main()
{
    int *x;
    cudaMalloc(&x, 1024 * sizeof(int));
    cudaMemset(x, 0, 1024 * sizeof(int));
    unsigned *tickets = (unsigned *)x + 512;
    late_store<<<8, 64>>>(x, tickets, x + 700);
    late_stores_of_all<<<8, 64>>>(x + 100, tickets + 1);
    everybody_is_last<<<8, 64>>>(tickets + 2, tickets + 3);
    return cudaDeviceSynchronize();
}
