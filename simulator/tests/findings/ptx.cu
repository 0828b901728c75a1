#include "cases.h"
#include "ptx.h"

// counted only: inline PTX needs clang

// One group of cp.async may still be under way: the one that is needed now.

__device__ void copy(int *to, const int *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; "
                 "cp.async.commit_group;" ::"r"(shared(to)),
                 "l"(from)
                 : "memory");
}

__global__ void reverse_two(int *data)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x;
    tile[1][t] = 0;
    __syncthreads(); // before the copies write there
    copy(&tile[0][t], &data[t]);
    copy(&tile[1][t], &data[64 + t]);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads(); // tile[0] is complete
    data[t] = tile[0][63 - t];
    data[64 + t] = tile[1][63 - t]; // expect: async-copy
}

LAUNCH(async_group, reverse_two<<<1, 64>>>(zeros<int>(128)));

#define LDMATRIX(r, row)                                                       \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"        \
                 : "=r"(r)                                                     \
                 : "r"(shared(row)))
#define LDMATRIX_4(r, row)                                                     \
    asm volatile(                                                              \
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"        \
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)                           \
        : "r"(shared(row)))

// ldmatrix reads 32 rows that two warps have written, without a barrier: half
// of them are the other warp's.
// consequence: uninitialised-shared

__global__ void load_unwaited(uint4 *out)
{
    __shared__ uint4 rows[64];
    int t = threadIdx.x;
    rows[t] = make_uint4(t, t, t, t); // expect-one: shared-race
    uint4 r;
    LDMATRIX_4(r, &rows[t ^ 32]); // expect-one: shared-race
    out[t] = r;
}

LAUNCH(race_ldmatrix, load_unwaited<<<1, 64>>>(room<uint4>(64)));

// Rows that nobody has written: ldmatrix reads 16 bytes of each, and the loop
// writes 8.

__global__ void load_unset(unsigned *out)
{
    __shared__ uint2 rows[8][2];
    if (threadIdx.x < 8)
        rows[threadIdx.x][0] = make_uint2(1, 2);
    __syncthreads();
    unsigned r;
    LDMATRIX(r, &rows[threadIdx.x % 8][0]); // expect: uninitialised-shared
    out[threadIdx.x] = r;
}

LAUNCH(uninitialised_ldmatrix, load_unset<<<1, 32>>>(room<unsigned>(32)));

// Lanes 24 to 31 name rows past the end of the array.

__global__ void load_too_many(uint4 *out)
{
    __shared__ uint4 rows[24];
    int t = threadIdx.x;
    if (t < 24)
        rows[t] = make_uint4(t, t, t, t);
    __syncthreads();
    uint4 r;
    LDMATRIX_4(r, rows + t); // expect: array-bounds
    out[t] = r;
}

CASE(bounds_ldmatrix)
{
    load_too_many<<<1, 32>>>(room<uint4>(32));
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
}

// A row of ldmatrix begins at a multiple of 16 bytes; a pitch of 9 halves does
// not keep that.

__global__ void load_odd_rows(unsigned *out)
{
    __shared__ unsigned short rows[8 * 9];
    for (int i = threadIdx.x; i < 8 * 9; i += 32)
        rows[i] = i;
    __syncthreads();
    unsigned r;
    LDMATRIX(r, &rows[threadIdx.x % 8 * 9]); // expect: misaligned
    out[threadIdx.x] = r;
}

CASE(misaligned_ldmatrix)
{
    load_odd_rows<<<1, 32>>>(room<unsigned>(32));
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
}

// A guard that nobody has declared: the instruction must not be left out.

__global__ void undeclared(int *out)
{
    int x = 0;
    asm volatile("@ready mov.u32 %0, 7;" : "+r"(x)); // expect: unknown-ptx
    out[threadIdx.x] = x;
}

LAUNCH(guard, undeclared<<<1, 32>>>(room<int>(32)));

// 512 columns are more than wgmma has; asked again, it still has not.

__global__ void too_wide()
{
    asm volatile( // expect: unknown-ptx
        "wgmma.mma_async.sync.aligned.m64n512k16.f32.bf16.bf16 {%0}, %1, %1, "
        "1, 1, 1, 0, 0;" ::"r"(0),
        "l"(0ull));
}

CASE(wgmma_shape)
{
    too_wide<<<1, 128>>>();
    cudaDeviceSynchronize();
    cudaDeviceReset();
    too_wide<<<1, 128>>>();
}

// ld.global.nc: its cache does not notice what the launch has written.

__global__ void neighbours(int *x, int *y)
{
    int t = threadIdx.x, value;
    x[t] = t;
    __syncthreads();
#if RIGHT
    asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(x + (t ^ 1)));
#else
    asm volatile("ld.global.nc.s32 %0, [%1];" // expect: read-only-load
                 : "=r"(value)
                 : "l"(x + (t ^ 1)));
#endif
    y[t] = value;
}

CASE(read_only)
{
    int *y = room<int>(64);
    neighbours<<<1, 64>>>(room<int>(64), y);
    CHECK_EQUAL(fetch(y), 1);
}

// What a warp knows by one barrier it hands on by the next.

__global__ void hand_on(int *out)
{
    __shared__ int word;
    int t = threadIdx.x;
    if (t == 0)
        word = 1;
    if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    if (t >= 32)
        asm volatile("bar.sync 2, 64;" ::: "memory");
    if (t == 64)
        word++;
    if (t >= 32)
        asm volatile("bar.sync 3, 64;" ::: "memory");
    if (t == 32)
        out[0] = word;
}

LAUNCH(handed_on, hand_on<<<1, 96>>>(room<int>(1)));
