#include "cases.h"
#include <stdint.h>

// feature: cudaMalloc, cudaFree, cudaMemcpy in all directions, cudaMemset

__global__ void increase(int *x)
{
    x[threadIdx.x] += 1;
}

CASE(memory)
{
    int h[32], *a, *b;
    for (int i = 0; i < 32; i++)
        h[i] = i;
    CHECK_CUDA(cudaMalloc(&a, sizeof h)); // the form that takes any pointer
    CHECK_CUDA(cudaMalloc((void **)&b, sizeof h));
    CHECK(((size_t)a & 255) == 0);
    CHECK_CUDA(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    increase<<<1, 32>>>(a);
    CHECK_CUDA(cudaMemcpy(b, a, sizeof h, cudaMemcpyDeviceToDevice));
    CHECK_CUDA(cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(h[31], 32);
    CHECK_CUDA(cudaMemset(b + 8, 0xff, 8 * sizeof(int)));
    CHECK_CUDA(cudaMemcpy(h, b, sizeof h, cudaMemcpyDefault));
    CHECK(h[7] == 8 && h[8] == -1 && h[15] == -1 && h[16] == 17);
    int copy[32];
    CHECK_CUDA(cudaMemcpy(copy, h, sizeof h, cudaMemcpyHostToHost));
    CHECK_EQUAL(copy[31], 32);
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(b));
    CHECK_CUDA(cudaFree(NULL));
}

// feature: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D, and their Async forms

__global__ void scale(float *x, size_t pitch, int width)
{
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    if (threadIdx.x < width)
        row[threadIdx.x] *= 2;
}

CASE(memory_2d)
{
    enum { WIDTH = 30, HEIGHT = 5, BYTES = WIDTH * sizeof(float) };
    float h[HEIGHT][WIDTH], back[HEIGHT][WIDTH], *x;
    size_t pitch;
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        h[i / WIDTH][i % WIDTH] = i;
    CHECK_CUDA(cudaMallocPitch((void **)&x, &pitch, BYTES, HEIGHT));
    CHECK(pitch >= BYTES && pitch % 32 == 0);
    CHECK_CUDA(cudaMemcpy2D(x, pitch, h, BYTES, BYTES, HEIGHT,
                            cudaMemcpyHostToDevice));
    scale<<<HEIGHT, 32>>>(x, pitch, WIDTH);
    CHECK_CUDA(cudaMemcpy2D(back, BYTES, x, pitch, BYTES, HEIGHT,
                            cudaMemcpyDeviceToHost));
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        CHECK_EQUAL(back[i / WIDTH][i % WIDTH], 2 * i);
    CHECK_CUDA(cudaMemset2D(x, pitch, 0, 4 * sizeof(float), 2));
    CHECK_CUDA(cudaMemcpy2DAsync(back, BYTES, x, pitch, BYTES, HEIGHT,
                                 cudaMemcpyDeviceToHost, 0));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(back[1][3] == 0 && back[1][4] == 68 && back[2][0] == 120);
}

// feature: cudaMalloc3D, cudaMemcpy3D, cudaMemset3D

enum { W = 5, H = 3, D = 4 };

__global__ void add(cudaPitchedPtr box, int n)
{
    char *layer = (char *)box.ptr + blockIdx.x * box.pitch * H;
    int *row = (int *)(layer + threadIdx.y * box.pitch);
    row[threadIdx.x] += n * blockIdx.x;
}

CASE(memory_3d)
{
    int out[D][H][W];
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(W * sizeof(int), H, D);
    CHECK_CUDA(cudaMalloc3D(&box, extent));
    CHECK(box.pitch >= W * sizeof(int));
    CHECK_CUDA(cudaMemset3D(box, 0, extent));
    add<<<D, dim3(W, H)>>>(box, 10);

    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.srcPos = make_cudaPos(0, 0, 1); // without the first layer
    copy.dstPtr = make_cudaPitchedPtr(out, W * sizeof(int), W * sizeof(int), H);
    copy.extent = make_cudaExtent(W * sizeof(int), H, D - 1);
    copy.kind = cudaMemcpyDeviceToHost;
    memset(out, 0xff, sizeof out);
    CHECK_CUDA(cudaMemcpy3D(&copy));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                CHECK_EQUAL(out[z][y][x], z < D - 1 ? 10 * (z + 1) : -1);
    copy.extent.depth = D; // one layer too many
    CHECK_EQUAL(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
}

// feature: copies that leave their buffer or go the wrong way are refused

__constant__ int bounded[4];
__device__ int behind[64]; // or in front: nothing may reach it

CASE(memory_bounds)
{
    int h[64] = {0}, *d = room<int>(64);
    const size_t size = sizeof h;
    for (cudaError_t error :
         {cudaMemcpy(h, d, size + 4, cudaMemcpyDeviceToHost),
          cudaMemcpy(d + 1, h, size, cudaMemcpyHostToDevice),
          cudaMemcpy(d, h, size, cudaMemcpyDeviceToHost),
          cudaMemset(d, 0, size + 1),
          cudaMemcpy(NULL, d, 4, cudaMemcpyDeviceToHost),
          cudaMemcpyToSymbol(bounded, h, sizeof bounded + 4),
          cudaMemcpyToSymbol(bounded, h, 8, 12),
          cudaMemcpyFromSymbol(h, bounded, 4, sizeof bounded),
          cudaMemcpyToSymbol(behind, h, size + 4)})
        CHECK_EQUAL(error, cudaErrorInvalidValue);
    CHECK_CUDA(cudaMemcpyToSymbol(bounded, h, sizeof bounded));
    CHECK_CUDA(cudaMemcpyToSymbol(bounded, h, 4, 12));
    CHECK_CUDA(cudaMemset(d, 0, sizeof h));
    CHECK_CUDA(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
}

// feature: cudaMemPrefetchAsync, cudaMemAdvise, cudaStreamAttachMemAsync,
// windows of the L2: checked, without effect

CASE(memory_hints)
{
    int *x = shared_zeros<int>(100), *device = room<int>(100), window = 0;
    cudaStream_t stream;
    CHECK_CUDA(
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -9));
    CHECK_CUDA(cudaMemPrefetchAsync(x, 400, 0, stream));
    CHECK_CUDA(cudaMemPrefetchAsync(x, 400, cudaCpuDeviceId, stream));
    CHECK_CUDA(cudaMemAdvise(x, 400, cudaMemAdviseSetReadMostly, 0));
    CHECK_CUDA(cudaStreamAttachMemAsync(stream, x));
    CHECK_EQUAL(cudaMemPrefetchAsync(x, 404, 0, stream), cudaErrorInvalidValue);
    CHECK_EQUAL(cudaMemPrefetchAsync(x, 400, 1, stream),
                cudaErrorInvalidDevice);
    CHECK_EQUAL(cudaMemPrefetchAsync(device, 400, 0, stream),
                cudaErrorInvalidValue);

    CHECK_CUDA(cudaDeviceGetAttribute(&window,
                                      cudaDevAttrMaxAccessPolicyWindowSize, 0));
    CHECK(window > 400);
    cudaStreamAttrValue value = {}, back = {};
    value.accessPolicyWindow.base_ptr = device;
    value.accessPolicyWindow.num_bytes = 400;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    CHECK_CUDA(cudaStreamSetAttribute(
        stream, cudaStreamAttributeAccessPolicyWindow, &value));
    CHECK_CUDA(cudaStreamGetAttribute(
        stream, cudaStreamAttributeAccessPolicyWindow, &back));
    CHECK_EQUAL(back.accessPolicyWindow.num_bytes, 400);
    CHECK_CUDA(cudaCtxResetPersistingL2Cache());

    int priority = 1;
    unsigned flags = 9;
    CHECK_CUDA(cudaStreamGetPriority(stream, &priority));
    CHECK_CUDA(cudaStreamGetFlags(stream, &flags));
    CHECK_EQUAL(priority, -5); // the greatest there is
    CHECK_EQUAL(flags, cudaStreamNonBlocking);
}

// feature: cudaMemGetInfo, cudaPointerGetAttributes; more than there is is
// refused

CASE(memory_info)
{
    size_t before, during, after, total;
    char *p = NULL, *q = NULL;
    CHECK_CUDA(cudaMemGetInfo(&before, &total));
    CHECK(before > 0 && before <= total);
    CHECK_CUDA(cudaMalloc((void **)&p, 64 << 20));
    CHECK_CUDA(cudaMemGetInfo(&during, &total));
    CHECK(during + (64 << 20) <= before);

    cudaPointerAttributes attributes;
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, p));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    CHECK(attributes.devicePointer == p);

    CHECK(cudaMalloc((void **)&q, total + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_CUDA(cudaFree(p));
    CHECK_CUDA(cudaMemGetInfo(&after, &total));
    CHECK(after > during);
}

// feature: managed memory: cudaMallocManaged, __managed__ variables

__managed__ int total;

__global__ void add_to_total(const int *x)
{
    atomicAdd(&total, x[threadIdx.x]);
}

CASE(memory_managed)
{
    int *x;
    CHECK_CUDA(cudaMallocManaged(&x, 32 * sizeof(int)));
    for (int i = 0; i < 32; i++)
        x[i] = i;
    total = 4;
    add_to_total<<<1, 32>>>(x);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(total, 500);
    CHECK_CUDA(cudaFree(x));
}

// feature: pinned memory: cudaMallocHost, cudaHostAlloc, mapped, registered

__global__ void fill(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

CASE(memory_pinned)
{
    int *a, *b, *mapped;
    static int c[32];
    CHECK_CUDA(cudaMallocHost((void **)&a, 32 * sizeof(int)));
    CHECK_CUDA(
        cudaHostAlloc((void **)&b, 32 * sizeof(int), cudaHostAllocMapped));
    CHECK_CUDA(cudaHostGetDevicePointer((void **)&mapped, b, 0));
    CHECK_CUDA(cudaHostRegister(c, sizeof c, cudaHostRegisterDefault));
    fill<<<1, 32>>>(a);
    fill<<<1, 32>>>(mapped);
    fill<<<1, 32>>>(c);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(a[31] == 31 && b[31] == 31 && c[31] == 31);
    CHECK_CUDA(cudaHostUnregister(c));
    CHECK_CUDA(cudaFreeHost(a));
    CHECK_CUDA(cudaFreeHost(b));
}

// feature: pools of memory: cudaMallocAsync, cudaMallocFromPoolAsync, their
// accounts

static uint64_t used(cudaMemPool_t pool, cudaMemPoolAttr what)
{
    uint64_t bytes = ~0ull;
    CHECK_CUDA(cudaMemPoolGetAttribute(pool, what, &bytes));
    return bytes;
}

CASE(memory_pools)
{
    int *x, *y, host[32], pools = 0;
    cudaMemPool_t own, standard, now;
    uint64_t threshold = 1 << 20;
    CHECK_CUDA(
        cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK_EQUAL(pools, 1);
    CHECK_CUDA(cudaDeviceGetDefaultMemPool(&standard, 0));
    CHECK_CUDA(cudaMemPoolSetAttribute(
        standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK_EQUAL(used(standard, cudaMemPoolAttrReleaseThreshold), threshold);
    uint64_t before = used(standard, cudaMemPoolAttrUsedMemCurrent);

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK_CUDA(cudaMemPoolCreate(&own, &properties));
    CHECK_CUDA(cudaMallocFromPoolAsync(&x, 128, own, 0));
    CHECK_CUDA(cudaMallocAsync(&y, 256, 0));
    CHECK_EQUAL(used(own, cudaMemPoolAttrUsedMemCurrent), 128);
    CHECK_EQUAL(used(standard, cudaMemPoolAttrUsedMemCurrent), before + 256);
    fill<<<1, 32>>>(x);
    CHECK_CUDA(cudaMemcpyAsync(host, x, 128, cudaMemcpyDeviceToHost, 0));
    CHECK_CUDA(cudaFreeAsync(x, 0));
    CHECK_CUDA(cudaFreeAsync(y, 0));
    CHECK_CUDA(cudaStreamSynchronize(0));
    CHECK_EQUAL(host[31], 31);
    CHECK_EQUAL(used(own, cudaMemPoolAttrUsedMemCurrent), 0);
    CHECK_EQUAL(used(own, cudaMemPoolAttrUsedMemHigh), 128);

    CHECK_CUDA(cudaDeviceSetMemPool(0, own));
    CHECK_CUDA(cudaDeviceGetMemPool(&now, 0));
    CHECK(now == own);
    CHECK_CUDA(cudaDeviceSetMemPool(0, standard));
    CHECK_CUDA(cudaMemPoolDestroy(own));
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CHECK_EQUAL(cudaMemPoolCreate(&own, &properties), cudaErrorNotSupported);
}

// feature: __constant__ memory and symbols: cudaMemcpyToSymbol, FromSymbol,
// address, size

struct settings {
    int n;
    float scale;
};

__constant__ float table[16];
__constant__ settings config;
__constant__ int filled[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ float samples[8];

__global__ void use()
{
    int t = threadIdx.x;
    CHECK_EQUAL(table[t % 16] * config.scale, t % 16 == 15 ? 200 : t % 16);
    CHECK_EQUAL(filled[t % 4], 1 + t % 4);
    if (t < config.n)
        samples[t] = t;
    atomicAdd(&counter, 1);
}

CASE(constant_memory)
{
    float h[16], back[8];
    for (int i = 0; i < 16; i++)
        h[i] = i * 0.5f;
    settings s = {8, 2.0f};
    int count;
    CHECK_CUDA(cudaMemcpyToSymbol(table, h, sizeof h));
    CHECK_CUDA(cudaMemcpyToSymbol(config, &s, sizeof s));
    float last = 100.0f;
    CHECK_CUDA(cudaMemcpyToSymbol(table, &last, 4, 15 * sizeof(float)));
    use<<<1, 32>>>();
    CHECK_CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    CHECK_EQUAL(count, 37);
    CHECK_CUDA(cudaMemcpyFromSymbol(back, samples, sizeof back));
    CHECK_EQUAL(back[7], 7);

    void *address;
    size_t size;
    CHECK_CUDA(cudaGetSymbolAddress(&address, samples));
    CHECK_CUDA(cudaGetSymbolSize(&size, samples));
    CHECK_EQUAL(size, sizeof back);
    CHECK_CUDA(cudaMemset(address, 0, size));
    CHECK_CUDA(cudaMemcpyFromSymbol(back, samples, sizeof back));
    CHECK_EQUAL(back[7], 0);
}

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

__global__ void use_lists(node **lists, int **arrays)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    int mirrored = blockDim.x - 1 - t;
    for (node *n = lists[i], *next; n; n = next) {
        next = n->next;
        sum += n->value;
        delete n;
    }
    CHECK_EQUAL(sum, t * (t + 1) / 2);
    CHECK_EQUAL(arrays[blockIdx.x][mirrored], 100 * blockIdx.x + mirrored);
    __syncthreads(); // all have read it
    if (t == 0)
        free(arrays[blockIdx.x]);
}

__global__ void exhaust()
{
    void *p = malloc((size_t)1 << 30);
    double *q = new double[100];
    q[99] = 1;
    CHECK(p == NULL && q != NULL);
    delete[] q;
}

CASE(device_heap)
{
    enum { BLOCKS = 3, T = 40 };
    node **lists = room<node *>(BLOCKS * T);
    int **arrays = room<int *>(BLOCKS);
    int *host = new int[10]; // the host's own heap
    CHECK_CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    build<<<BLOCKS, T>>>(lists, arrays);
    use_lists<<<BLOCKS, T>>>(lists, arrays);
    exhaust<<<1, 1>>>();
    delete[] host;
}
