// What must be refused when it is compiled, with one line or two that name the
// reason. test_features.py makes a source of each case: from its line
//
//     // refuse NAME: WORDS OF THE MESSAGE
//
// to the next one. The line that the message names, if it does, is marked
// `here`.

/* ---- CUDA forbids it ----------------------------------------------------- */

// refuse host_function_in_a_kernel: call to __host__ function from __global__
// function
int twice(int x)
{
    return 2 * x;
}
__global__ void k(int *x)
{
    *x = twice(*x); // here
}

// refuse constexpr_function_in_a_kernel: call to __host__ function from
// __global__ function
constexpr int twice(int x)
{
    return 2 * x;
}
__global__ void k(int *x)
{
    *x = twice(*x); // here
}

// refuse c_function_in_a_kernel: rand: a kernel cannot call this function of
// the host
#include <stdlib.h>
__global__ void k(int *x)
{
    *x = rand(); // here
}

// refuse container_in_a_kernel: call to __host__ function from __global__
// function
#include <vector>
__global__ void k(int *x)
{
    std::vector<int> v(3); // here
    *x = 1;
}

// refuse host_variable_in_a_kernel: reference to __host__ variable 'limit' in
// __global__ function
int limit = 3;
__global__ void k(int *x)
{
    *x = limit; // here
}

// refuse atomics_of_the_host: not the host's __atomic_
__global__ void k(int *x)
{
    __sync_fetch_and_add(x, 1); // here
}

// refuse device_function_on_host: call to __device__ function from __host__
// function
__device__ int increment(int x)
{
    return x + 1;
}
int main()
{
    return increment(3); // here
}

// refuse kernel_called: k is a kernel: it is launched
__global__ void k(int *x)
{
    *x = 1;
}
int main()
{
    k(nullptr); // here
}

// refuse kernel_returns: must have void return type
__global__ int k(int *x) // here
{
    return *x;
}

// refuse reference_parameter: float &sum: a kernel cannot take a reference
template <int N>
__global__ void __launch_bounds__(N)
    k(const float *x, float &sum, int n = 3 & 1) // here
{
    sum = x[0];
}

// refuse plain_function_launched: increment is no kernel
void increment(int *x)
{
    ++*x;
}
int main()
{
    increment<<<1, 1>>>(nullptr); // here
}

// refuse launch_with_a_text: no viable conversion from 'const char[4]' to
// 'dim3'
__global__ void k()
{
}
int main()
{
    k<<<"one", 1>>>(); // here
}

// refuse launch_with_another_type: parameter of type 'int *' with an lvalue of
// type 'float *'
__global__ void k(int *x)
{
    *x = 1;
}
int main()
{
    float *d;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d); // here
}

// refuse launch_with_one_size: too few arguments between <<< and >>>, expected
// at least 2, have 1
__global__ void k(int *x)
{
    *x = 1;
}
int main()
{
    k<<<1>>>(nullptr); // here
}

// refuse launch_without_an_argument: too few arguments to function call,
// expected 2, have 1
__global__ void k(int *x, int n)
{
    *x = n;
}
int main()
{
    k<<<1, 1>>>(nullptr); // here
}

// refuse too_many_constants: 70000 bytes of __constant__ memory; a GPU has
// 65536
__constant__ int few[100];
__constant__ float weights[17400]; // here
__global__ void k(float *x)
{
    x[0] = weights[threadIdx.x] + few[0];
}

// refuse too_many_parameters: a kernel takes 32764 bytes of parameters
struct large {
    char data[32757];
};
__global__ void k(large x, int *out)
{
    out[threadIdx.x] = x.data[threadIdx.x];
}
int main()
{
    static large x;
    k<<<1, 1>>>(x, nullptr); // here
}

/* ---- it is not here ------------------------------------------------------ */

// refuse launch_in_a_kernel: launch
__global__ void child(int *x)
{
    *x = 1;
}
__global__ void parent(int *x)
{
    child<<<1, 1>>>(x);
}

// refuse conditional_node: conditional nodes of graphs
#include <cuda_runtime.h>
int main()
{
    cudaGraphConditionalHandle handle; // here
}

// refuse of_the_runtime: cudaGraphicsMapResources: this part of the runtime's
// API
#include <cuda_runtime.h>
int main()
{
    return cudaGraphicsMapResources(); // here
}

// refuse driver_api: cuInit: of the driver API
#include <cuda.h>
int main()
{
    return cuInit(0); // here
}

// refuse of_cublas: cublasStrsm: this part of cuBLAS
#include <cublas_v2.h>
int main()
{
    return cublasStrsm(); // here
}

// refuse of_the_headers_of_cpp: call to __host__ function from __global__
// function
#include <utility>
__global__ void k(int *x)
{
    int y = std::move(*x);            // of both sides
    *x = std::make_pair(y, 1).second; // here
}

// refuse generator: curandStateMRG32k3a: of cuRAND only XORWOW and Philox
#include <curand_kernel.h>
__global__ void draw(curandStateMRG32k3a *state, float *x) // here
{
    *x = curand_uniform(state);
}

// refuse surfaces: surface
__global__ void sample(cudaSurfaceObject_t picture)
{
    surf2Dwrite(1.0f, picture, 0, 0);
}

// refuse simd_instruction: __vabsdiffu4: SIMD
__global__ void differ(unsigned *x)
{
    x[0] = __vabsdiffu4(x[1], x[2]); // here
}

// refuse tensor_cores_of_short: fragments of half
#include <mma.h>
using namespace nvcuda;
__global__ void load(const short *p)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, short, wmma::row_major> a;
    wmma::load_matrix_sync(a, p, 16);
}

/* ---- instructions of inline PTX that are not here ------------------------ */

// refuse ptx_of_16_bits: cas.b16
__global__ void swap(unsigned short *p)
{
    unsigned short old;
    asm volatile("atom.global.cas.b16 %0, [%1], 0, 1;" : "=h"(old) : "l"(p));
}

// refuse ptx_of_a_square_root: sqrt.rn.f32; write a function of CUDA's math
// library
__global__ void root(float *p)
{
    asm("sqrt.rn.f32 %0, %1;" : "=f"(p[0]) : "f"(p[0]));
}

// refuse relaxed_arrival: mbarrier.arrive.relaxed.cta.shared::cta.b64
__global__ void arrive(unsigned barrier)
{
    asm volatile(
        "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(barrier)
        : "memory");
}

// refuse relaxed_wait: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64
__global__ void wait(unsigned barrier)
{
    asm volatile("{ .reg .pred done; again: "
                 "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 done, "
                 "[%0], 0; @!done bra again; }" ::"r"(barrier)
                 : "memory");
}

// refuse setp_with_and: setp.lt.and.s32
__global__ void compare(int *d)
{
    asm volatile("{ .reg .pred p, q; setp.lt.s32 q, %0, 3; "
                 "setp.lt.and.s32 p, %0, 2, q; selp.s32 %0, 1, 0, p; }"
                 : "+r"(d[0]));
}

// refuse unknown_mma: mma.sync.aligned.m16n8k32
__global__ void multiply(int *d)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                 "{%0,%1,%2,%3}, {%0,%1,%2,%3}, {%0,%1}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]));
}

// refuse unknown_ptx: tcgen05
__global__ void multiply()
{
    asm volatile("tcgen05.fence::before_thread_sync;");
}
