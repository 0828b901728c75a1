#include "../../tensor_map.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

// feature: wgmma m64n8k16: half, bfloat16; b by rows and by columns, all
// swizzles; boxes of a matrix by TMA: `cuTensorMapEncodeTiled`, mbarriers
// counted only: inline PTX needs clang

template <class T>
T *room(int n)
{
    T *p;
    CHECK_CUDA(cudaMalloc((void **)&p, n * sizeof(T)));
    return p;
}

__device__ unsigned shared(const void *x)
{
    return (unsigned)__cvta_generic_to_shared(x);
}

#define WGMMA(type, by_rows)                                                   \
    asm volatile("{ .reg .pred more; setp.ne.b32 more, %6, 0; "                \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32." type             \
                 " {%0, %1, %2, %3}, %4, %5, more, 1, 1, 0, " by_rows "; }"    \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])              \
                 : "l"(a), "l"(b), "r"(more))

__device__ void product(float d[4], uint64_t a, uint64_t b, int more,
                        __nv_bfloat16, bool by_rows)
{
    if (by_rows)
        WGMMA("bf16.bf16", "1");
    else
        WGMMA("bf16.bf16", "0");
}

__device__ void product(float d[4], uint64_t a, uint64_t b, int more, half,
                        bool)
{
    WGMMA("f16.f16", "0");
}

/** Byte of element (slow, fast) where rows are 16 << width bytes long and
 * turned in groups of eight; width 0: eight rows of 16 bytes, one after the
 * other. */
__device__ int place(int slow, int fast, int width)
{
    int bytes = 16 << width, at = fast * 2;
    int byte =
        slow / 8 * 1024 + slow % 8 * bytes + at % bytes + at / bytes * 512;
    return byte ^ (byte >> 7 & ((1 << width) - 1)) << 4;
}

template <class T>
__device__ T number(int row, int col)
{
    return T(float((row * 5 + col * 3) % 17 - 8));
}

/** sum = A B, then += A B. */
template <class T>
__global__ void multiply(int width, bool by_rows, float *sum)
{
    __shared__ __align__(1024) char A[8192], B[2048];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    for (int i = t; i < 64 * 16; i += 128)
        *(T *)&A[place(i / 16, i % 16, width)] = number<T>(i / 16, i % 16);
    for (int i = t; i < 16 * 8; i += 128) {
        int k = i / 8, n = i % 8;
        *(T *)&B[by_rows ? place(k, n, width) : place(n, k, width)] =
            number<T>(k + 100, n);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint64_t how = (uint64_t)(width ? 4 - width : 0) << 62 |
                   (uint64_t)(1024 / 16) << 32 | (uint64_t)(512 / 16) << 16;
    float d[4] = {1e6f, 1e6f, 1e6f, 1e6f};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int more = 0; more < 2; more++)
        product(d, how | shared(A) >> 4, how | shared(B) >> 4, more, T(),
                by_rows);
    asm volatile("wgmma.commit_group.sync.aligned; "
                 "wgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
    for (int i = 0; i < 4; i++)
        sum[(warp * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] =
            d[i];
}

template <class T>
__global__ void expected(float *sum)
{
    int row = threadIdx.x / 8, col = threadIdx.x % 8;
    float x = 0;
    for (int k = 0; k < 16; k++)
        x += float(number<T>(row, k)) * float(number<T>(k + 100, col));
    sum[threadIdx.x] = 2 * x;
}

template <class T>
bool as_expected(int width, bool by_rows)
{
    static float got[512], want[512];
    float *d_got = room<float>(512), *d_want = room<float>(512);
    multiply<T><<<1, 128>>>(width, by_rows, d_got);
    expected<T><<<1, 512>>>(d_want);
    cudaMemcpy(got, d_got, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(want, d_want, sizeof want, cudaMemcpyDeviceToHost);
    bool same = true;
    for (int i = 0; i < 512; i++)
        same &= got[i] == want[i];
    return same;
}

static void products()
{
    for (int width = 0; width < 4; width++) {
        CHECK(as_expected<__nv_bfloat16>(width, false));
        CHECK(as_expected<half>(width, false));
    }
    for (int width = 1; width < 4; width++)
        CHECK(as_expected<__nv_bfloat16>(width, true));
}

/* ---- TMA ----------------------------------------------------------------- */

enum { ROWS = 20, COLS = 40, BOX_ROWS = 16, BOX_COLS = 16 };

/** Copy the box at (row, col); both threads of a turn of the ring wait. */
__global__ void box(const __grid_constant__ CUtensorMap map, int row, int col,
                    int swizzle, uint16_t *out)
{
    __shared__ __align__(1024) uint16_t to[BOX_ROWS * BOX_COLS];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&barrier)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], "
                     "%1;" ::"r"(shared(&barrier)),
                     "r"((int)sizeof to)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
                     "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         shared(to)),
                     "l"(&map), "r"(col), "r"(row), "r"(shared(&barrier))
                     : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred done; "
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
                 "0; @!done bra again; }" ::"r"(shared(&barrier))
                 : "memory");
    int i = threadIdx.x, byte = i * 2;
    byte ^= (byte >> 7 & ((1 << swizzle) - 1)) << 4;
    out[i] = to[byte / 2];
}

static void boxes()
{
    static uint16_t x[ROWS][COLS], got[BOX_ROWS][BOX_COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        x[i / COLS][i % COLS] = i + 1;
    uint16_t *d_x = room<uint16_t>(ROWS * COLS);
    uint16_t *d_got = room<uint16_t>(BOX_ROWS * BOX_COLS);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    for (int swizzle = 0; swizzle < 2; swizzle++) {
        CUtensorMap map;
        CHECK(tensor_map(&map, d_x, ROWS, COLS - 3, COLS * 2, BOX_ROWS,
                         BOX_COLS, swizzle) == CUDA_SUCCESS);
        for (int row : {0, 4, 10, -3})
            for (int col : {0, 8, 30, -5}) {
                box<<<1, BOX_ROWS * BOX_COLS>>>(map, row, col, swizzle, d_got);
                cudaMemcpy(got, d_got, sizeof got, cudaMemcpyDeviceToHost);
                bool same = true;
                for (int i = 0; i < BOX_ROWS; i++)
                    for (int j = 0; j < BOX_COLS; j++) {
                        int m = row + i, n = col + j;
                        bool in = m >= 0 && m < ROWS && n >= 0 && n < COLS - 3;
                        same &= got[i][j] == (in ? x[m][n] : 0);
                    }
                CHECK(same);
            }
    }
    CUtensorMap map; // of rows that do not begin at 16 bytes
    CHECK(tensor_map(&map, d_x, ROWS, COLS - 3, COLS * 2 + 2, BOX_ROWS,
                     BOX_COLS) != CUDA_SUCCESS);
}

int main()
{
    products();
    boxes();
    return check_result();
}
