// Structures are copied whole, with padding that nobody has ever written.

#include <cuda_runtime.h>

struct __align__(16) point
{
    float x, y, z;
};
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

__global__ void copies(point *p, mixture *m, pair *q, small *s)
{
    int t = threadIdx.x;
    copy(p, p + 32, make_point(t));
    m[t].kind = 'a';
    m[t].weight = t;
    m[t].count = t;
    copy(m, m + 32, m[t]);
    q[t].kind = 'b';
    q[t].count = t;
    copy(q, q + 32, q[t]);
    s[t].kind = 'c';
    s[t].count = t;
    copy(s, s + 32, s[t]);
}

int main()
{
    point *p;
    mixture *m;
    pair *q;
    small *s;
    cudaMalloc((void **)&p, 64 * sizeof *p);
    cudaMalloc((void **)&m, 64 * sizeof *m);
    cudaMalloc((void **)&q, 64 * sizeof *q);
    cudaMalloc((void **)&s, 64 * sizeof *s);
    copies<<<1, 32>>>(p, m, q, s);
    return cudaDeviceSynchronize();
}
