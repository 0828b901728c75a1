#include "cases.h"

// feature: structs as kernel arguments: by value, nested, with arrays and
// methods, up to 32764 bytes of parameters

struct matrix {
    int rows, cols;
    float *data;
    __device__ float &at(int row, int col) const
    {
        return data[row * cols + col];
    }
};

struct problem {
    matrix in, out;
    float weights[3];
    char tag;
    double scale;
};

__global__ void weigh(problem p, int3 shift, bool negate)
{
    int col = threadIdx.x, row = threadIdx.y;
    float value = p.in.at(row, col) * p.weights[row] * (float)p.scale;
    p.out.at(row, col) = (negate ? -value : value) + shift.z + p.tag;
    p.scale = 0; // this thread's own copy
}

struct large {
    char data[32756]; // and 8 for the pointer
};

__global__ void ends(int *out, large x)
{
    out[threadIdx.x] = x.data[threadIdx.x] + x.data[32755 - threadIdx.x];
}

static void largest()
{
    int *out = shared_zeros<int>(64);
    static large x;
    for (int i = 0; i < 32756; i++)
        x.data[i] = (char)(i % 100);
    ends<<<1, 64>>>(out, x);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(out[7], 7 + 32748 % 100);
}

CASE(struct_arguments)
{
    largest();
    float *in = shared_zeros<float>(12), *out = shared_zeros<float>(12);
    for (int i = 0; i < 12; i++)
        in[i] = i;
    problem p = {{3, 4, in}, {3, 4, out}, {1, 2, 4}, 1, 0.5};
    weigh<<<1, dim3(4, 3)>>>(p, make_int3(7, 8, 9), true);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 12; i++)
        CHECK_EQUAL(out[i], 10 - i * (1 << i / 4) * 0.5);
}
