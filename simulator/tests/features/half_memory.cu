// feature: half, half2 and bfloat16 in shared memory, shuffles, `__ldg`,
// atomicAdd, cudaMemcpy

#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__global__ void reverse(const T *in, T *out)
{
    __shared__ T tile[64];
    int t = threadIdx.x;
    tile[t] = __ldg(&in[t]);
    __syncthreads();
    T x = tile[63 - t];
    T next = __shfl_down_sync(~0u, x, 1);
    T first = __shfl_sync(~0u, x, 0);
    T other = __shfl_xor_sync(~0u, x, 1);
    T before = __shfl_up_sync(~0u, x, 1);
    out[t] = x;
    out[64 + t] = next;
    out[128 + t] = first;
    out[192 + t] = other;
    out[256 + t] = before;
}

template <class T, class T2>
__global__ void add(T *one, T2 *two, const T *x, T2 *old)
{
    __shared__ T2 sum;
    if (threadIdx.x == 0)
        sum = T2(x[0], x[0]);
    __syncthreads();
    atomicAdd(one, x[1]);
    atomicAdd(two, T2(x[1], x[2]));
    atomicAdd(&sum, T2(x[1], x[2]));
    __syncthreads();
    if (threadIdx.x == 0)
        *old = atomicAdd(two + 1, sum);
}

template <class T, class T2>
void check_type()
{
    T *in = shared_zeros<T>(64), *out = shared_zeros<T>(320);
    for (int i = 0; i < 64; i++)
        in[i] = T((float)i);
    reverse<<<1, 64>>>(in, out);
    CHECK_CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) {
        CHECK_EQUAL((float)out[i], 63 - i);
        CHECK_EQUAL((float)out[64 + i], 63 - i - (i % 32 < 31));
        CHECK_EQUAL((float)out[128 + i], 63 - i / 32 * 32);
        CHECK_EQUAL((float)out[192 + i], 63 - (i ^ 1));
        CHECK_EQUAL((float)out[256 + i], 63 - i + (i % 32 > 0));
    }
    T *one = shared_zeros<T>(2), *x = shared_zeros<T>(3);
    T2 *two = shared_zeros<T2>(2), *old = shared_zeros<T2>(1);
    x[1] = T(1.0f);
    x[2] = T(2.0f);
    add<<<1, 64>>>(one, two, x, old);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL((float)one[0], 64);
    CHECK_EQUAL((float)one[1], 0);
    CHECK_EQUAL((float)two[0].x, 64);
    CHECK_EQUAL((float)two[0].y, 128);
    CHECK_EQUAL((float)two[1].y, 128);
    CHECK_EQUAL((float)old->x, 0);
}

int main()
{
    check_type<half, half2>();
    check_type<__nv_bfloat16, __nv_bfloat162>();
    return check_result();
}
