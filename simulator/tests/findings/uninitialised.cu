#include "cases.h"

// cudaMalloc gives memory, not zeros.

__global__ void count(int *total)
{
    int before = *total; // expect: uninitialised-global
    *total = before + 1;
}

LAUNCH(global, count<<<1, 1>>>(RIGHT ? zeros<int>(1) : room<int>(1)));

// What nobody has written stays so when it is copied.

__global__ void add(const int *x, int *out)
{
    out[threadIdx.x] = x[threadIdx.x] + 1; // expect: uninitialised-global
}

CASE(global_copy)
{
    int *a = room<int>(64), *b = room<int>(64), used = RIGHT ? 32 : 16;
    cudaMemset(a, 0, used * sizeof(int));
    cudaMemcpy(b, a, 64 * sizeof(int), cudaMemcpyDeviceToDevice);
    add<<<1, 32>>>(b, room<int>(32));
}

// Every other element is written, so a part of each word is. A copy of a copy
// is no better.

template <class T>
__global__ void even(T *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[2 * i] = i;
    if (RIGHT)
        x[2 * i + 1] = 0;
}

template <class T>
__global__ void read_all(const T *x, int *out)
{
    out[threadIdx.x] = x[threadIdx.x]; // expect: uninitialised-global
}

template <class T>
void every_other()
{
    size_t n = 1 << 17; // whole granules of memory.c, and a part
    T *x = room<T>(n), *y = room<T>(n), *z = room<T>(n);
    even<<<n / 2048, 1024>>>(x);
    cudaMemcpy(y + 1, x, (n - 1) * sizeof(T), cudaMemcpyDefault);
    cudaMemcpy(z, y, n * sizeof(T), cudaMemcpyDefault);
    read_all<<<1, 64>>>(z + 1, room<int>(64));
}

CASE(chars)
{
    every_other<char>();
}

CASE(shorts)
{
    every_other<short>(); // as half
}

// A tile with a halo of one element on each side, and nobody loads the halo.

__global__ void blur(const int *in, int *out)
{
    __shared__ int tile[34];
    int t = threadIdx.x;
    tile[t + 1] = in[t];
#if RIGHT
    if (t == 31)
        tile[33] = 0;
    __syncthreads(); // tile and halo are complete
    out[t] = tile[t + 1] + tile[t + 2];
#else
    __syncthreads();         // the tile is complete, but not its halo
    int right = tile[t + 2]; // expect: uninitialised-shared
    out[t] = tile[t + 1] + right;
#endif
}

LAUNCH(shared, blur<<<1, 32>>>(zeros<int>(32), room<int>(32)));

// Only the first block fills the array. Shared memory of the next block is not
// the first one's, even where the hardware left its values behind.

__global__ void copy(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        s[t] = t;
    __syncwarp();                    // the array is complete in block 0
    out[blockIdx.x * 32 + t] = s[t]; // expect: uninitialised-shared
}

LAUNCH(shared_next_block, copy<<<2, 32>>>(room<int>(2 * 32)));

// atomicExch whose result nobody uses is a store: it may be the first.

__global__ void exchange(int *out)
{
    __shared__ int value;
    if (threadIdx.x == 0)
        atomicExch(&value, 7);
    __syncthreads(); // value is 7
    out[threadIdx.x] = value;
}

LAUNCH(exchange, exchange<<<1, 64>>>(room<int>(64)));

// A structure that nobody has written is copied, and a float4 of which only
// three parts are there.

struct __align__(16) point
{
    float x, y, z;
};

__global__ void copies_unset(point *p, float4 *out)
{
    __shared__ float4 tile[32];
    int t = threadIdx.x;
    p[t + 32] = p[t]; // expect: uninitialised-global
    tile[t].x = tile[t].y = tile[t].z = t;
    out[t] = tile[t]; // expect: uninitialised-shared
}

LAUNCH(structure, copies_unset<<<1, 32>>>(room<point>(64), room<float4>(32)));

// Structures are copied whole, with padding that nobody has ever written.

struct mixture {
    char kind;
    double weight;
    int count;
};
struct pair {
    char kind;
    int count;
};
struct small {
    char kind;
    short count;
};

template <class T>
__device__ void copy(T *in, T *out, T value)
{
    __shared__ T tile[32];
    int t = threadIdx.x;
    in[t] = value;
    tile[t] = in[t];
    __syncthreads(); // the tile is complete
    out[t] = tile[(t + 1) % 32];
}

__device__ point make_point(float x)
{
    point p;
    p.x = p.y = p.z = x;
    return p;
}

__global__ void copies(point *p, mixture *m, pair *q, small *s, uchar3 *u)
{
    int t = threadIdx.x;
    copy(p, p + 32, make_point(t));
    m[t].kind = 'a';
    m[t].weight = t;
    m[t].count = t;
    copy(m, m + 32, m[t]);
    q[t].kind = s[t].kind = 'b';
    q[t].count = s[t].count = t;
    copy(q, q + 32, q[t]);
    copy(s, s + 32, s[t]);
    u[t] = make_uchar3(1, 2, 3); // three bytes at once
    copy(u, u + 32, u[t]);
}

LAUNCH(padding,
       copies<<<1, 32>>>(room<point>(64), room<mixture>(64), room<pair>(64),
                         room<small>(64), room<uchar3>(64)));

// A grid that was rounded down leaves the end of an array, or the beginning.

__global__ void fill(int *x, int first, int n)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x + 16 * threadIdx.y;
    if (i < n)
        x[i] = i;
}

static int host[1000];

CASE(rounded_down)
{
    int *x = room<int>(1000);
    fill<<<1000 / 256 + RIGHT, 256>>>(x, 0, 1000);
    // says: the threads of fill<<<3, 256>>> (line
    // says: wrote p[0] to p[767]
    cudaMemcpy(host, x, 4000, cudaMemcpyDefault); // expect: *-note
}

CASE(no_beginning)
{
    int *x = room<int>(1000);
    if (RIGHT)
        fill<<<3, 256>>>(x, 0, 744);
    fill<<<1, dim3(16, 16)>>>(x, 744, 1000);
    // says: fill<<<1, (16,16,1)>>> (line
    // says: wrote p[744] to p[999]
    cudaMemcpy(host, x, 4000, cudaMemcpyDefault); // expect: *-note
}

// Who has written the rest is not said where several have.

CASE(several_have_written)
{
    int *x = room<int>(1000);
    cudaMemset(x, 0, RIGHT ? 4000 : 256);
    fill<<<3, 256>>>(x, 64, 768);
    // never says: the threads of
    cudaMemcpy(host, x, 4000, cudaMemcpyDefault); // expect: *-note
}
