// Shared by main.cu and other.cu: what each side of a source sees.
#pragma once

__host__ __device__ inline int architecture()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__;
#else
    return -1;
#endif
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ int old_enough_for_a_loop();
#endif

struct shape {
    __host__ __device__ virtual int corners() const
    {
        return 4;
    }
};

struct sided_shape : shape {
    __host__ __device__ int corners() const override
    {
        return architecture();
    }
};

// Each source has its own of these.
static __device__ int calls;
static int launches;

template <class T>
__global__ void fill(T *x, T value)
{
#if __CUDA_ARCH__ >= 700
    x[threadIdx.x] = value + T(architecture());
    if (threadIdx.x == 0)
        calls++;
#endif
}

template <class Function>
__global__ void apply(int *x, Function f)
{
    x[threadIdx.x] = f(threadIdx.x);
}

// Of other.cu.
void add(float *x, int n, float value);
int launches_of_other();
bool other_is_right();
bool others_variables_are_right();
