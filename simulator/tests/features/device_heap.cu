#include "cases.h"

// feature: malloc, free, new and delete in kernels

struct node {
    int value;
    node *next;
    __device__ node(int v, node *n) : value(v), next(n)
    {
    }
};

// each thread builds a list; the threads of a block share an array
__global__ void build(node **lists, int **arrays)
{
    __shared__ int *array;
    int t = threadIdx.x;
    node *list = NULL;
    for (int i = 0; i <= t; i++)
        list = new node(i, list);
    lists[blockIdx.x * blockDim.x + t] = list;
    if (t == 0)
        array = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads(); // the array is there
    array[t] = 100 * blockIdx.x + t;
    if (t == 0)
        arrays[blockIdx.x] = array;
}

__global__ void use(node **lists, int **arrays, int *sums, int *values)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    for (node *n = lists[i], *next; n; n = next) {
        next = n->next;
        sum += n->value;
        delete n;
    }
    sums[i] = sum;
    values[i] = arrays[blockIdx.x][blockDim.x - 1 - t];
    __syncthreads(); // all have read it
    if (t == 0)
        free(arrays[blockIdx.x]);
}

__global__ void exhaust(int *got)
{
    void *p = malloc((size_t)1 << 30);
    double *q = new double[100];
    q[99] = 1;
    *got = (p != NULL) + 2 * (q != NULL);
    delete[] q;
}

CASE(device_heap)
{
    enum { BLOCKS = 3, T = 40 };
    node **lists = shared_zeros<node *>(BLOCKS * T);
    int **arrays = shared_zeros<int *>(BLOCKS);
    int *sums = shared_zeros<int>(BLOCKS * T);
    int *values = shared_zeros<int>(BLOCKS * T), *got = shared_zeros<int>(1);
    int *host = new int[10]; // the host's own heap
    CHECK_CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    build<<<BLOCKS, T>>>(lists, arrays);
    use<<<BLOCKS, T>>>(lists, arrays, sums, values);
    exhaust<<<1, 1>>>(got);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS * T; i++) {
        int t = i % T;
        CHECK_EQUAL(sums[i], t * (t + 1) / 2);
        CHECK_EQUAL(values[i], 100 * (i / T) + T - 1 - t);
    }
    CHECK_EQUAL(*got, 2);
    delete[] host;
}
