#include "cases.h"

// feature: classes with methods, operators, inheritance, constexpr in kernels

class complex_number
{
  public:
    __host__ __device__ complex_number(float re = 0, float im = 0)
        : re(re), im(im)
    {
    }
    __host__ __device__ complex_number operator*(complex_number o) const
    {
        return complex_number(re * o.re - im * o.im, re * o.im + im * o.re);
    }
    __host__ __device__ float norm() const
    {
        return re * re + im * im;
    }
    float re, im;
};

struct shape {
    int sides;
    __device__ int corners() const
    {
        return sides;
    }
};

struct prism : shape {
    __device__ int faces() const
    {
        return corners() + 2;
    }
};

__host__ __device__ constexpr int cube(int x)
{
    return x * x * x;
}

__global__ void use(complex_number *z, int *out)
{
    int t = threadIdx.x;
    complex_number i(0, 1), w((float)t, 1);
    z[t] = w * i;
    prism p;
    p.sides = t;
    constexpr int n = cube(3);
    out[t] = p.faces() + n + (int)z[t].norm();
}

CASE(classes)
{
    complex_number *z = shared_zeros<complex_number>(32);
    int *out = shared_zeros<int>(32);
    use<<<1, 32>>>(z, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(z[5].re == -1 && z[5].im == 5);
    CHECK_EQUAL(out[5], 7 + 27 + 26);
}
