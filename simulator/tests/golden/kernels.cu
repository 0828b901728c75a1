/**
 * @file kernels.cu
 * @brief Twelve ordinary kernels whose counters an H200 measured.
 *
 * kernels.csv holds the numbers. The kernels are also a test of the detectors:
 * they are correct, so nothing may be found in them, and each result is
 * compared with one computed on the CPU.
 *
 * The case mixture is small: many blocks, every memory space, divergence; what
 * must not depend on the number of OS threads or the version of the compiler.
 */

#include "cases.h"
#include <vector>

/* ---- matrix products, C = A * B, n x n --------------------------------- */

/** A warp runs down a column of C: 32 sectors of A per load, 1 of B. */
__global__ void gemm_naive_uncoalesced(int n, const float *A, const float *B,
                                       float *C)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

/** A warp runs along a row of C: 1 sector of A, 4 of B. */
__global__ void gemm_naive_coalesced(int n, const float *A, const float *B,
                                     float *C)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

/** Tiles of A and B in shared memory. */
template <int TILE>
__global__ void gemm_shared(int n, const float *A, const float *B, float *C)
{
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        As[y][x] = A[row * n + start + x];
        Bs[y][x] = B[(start + y) * n + col];
        __syncthreads(); // the tiles are complete
        for (int k = 0; k < TILE; k++)
            sum += As[y][k] * Bs[k][x];
        __syncthreads(); // all have read them
    }
    C[row * n + col] = sum;
}

/** Four floats at once. */
__device__ float4 load4(const float *p)
{
    return *(const float4 *)p;
}

/** TM x TN elements of C in registers of each thread, float4 everywhere. */
template <int BM, int BN, int BK, int TM, int TN>
__global__ void gemm_regtile(int n, const float *A, const float *B, float *C)
{
    enum { THREADS = (BM / TM) * (BN / TN) };
    __shared__ float As[BK][BM]; // transposed: a fragment of a column is a row
    __shared__ float Bs[BK][BN];
    int thread = threadIdx.x;
    int thread_row = thread / (BN / TN), thread_col = thread % (BN / TN);
    const float *a = A + blockIdx.y * BM * n;
    const float *b = B + blockIdx.x * BN;
    float sum[TM][TN] = {}, fragment_a[TM], fragment_b[TN];

    for (int start = 0; start < n; start += BK) {
        for (int i = thread * 4; i < BM * BK; i += THREADS * 4) {
            float4 v = load4(&a[(i / BK) * n + start + i % BK]);
            As[i % BK + 0][i / BK] = v.x;
            As[i % BK + 1][i / BK] = v.y;
            As[i % BK + 2][i / BK] = v.z;
            As[i % BK + 3][i / BK] = v.w;
        }
        for (int i = thread * 4; i < BK * BN; i += THREADS * 4)
            *(float4 *)&Bs[i / BN][i % BN] =
                load4(&b[(start + i / BN) * n + i % BN]);
        __syncthreads(); // the tiles are complete
#pragma unroll
        for (int k = 0; k < BK; k++) {
#pragma unroll
            for (int i = 0; i < TM; i += 4) {
                float4 v = load4(&As[k][thread_row * TM + i]);
                fragment_a[i] = v.x;
                fragment_a[i + 1] = v.y;
                fragment_a[i + 2] = v.z;
                fragment_a[i + 3] = v.w;
            }
#pragma unroll
            for (int j = 0; j < TN; j += 4) {
                float4 v = load4(&Bs[k][thread_col * TN + j]);
                fragment_b[j] = v.x;
                fragment_b[j + 1] = v.y;
                fragment_b[j + 2] = v.z;
                fragment_b[j + 3] = v.w;
            }
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += fragment_a[i] * fragment_b[j];
        }
        __syncthreads(); // all have read them
    }
    float *c = C + (blockIdx.y * BM + thread_row * TM) * n + blockIdx.x * BN +
               thread_col * TN;
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            *(float4 *)&c[i * n + j] = make_float4(
                sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

/* ---- transposes, n x n --------------------------------------------------- */

/** PAD = 0: a column of the tile lies in one bank; PAD = 1: in 32 banks. */
template <int PAD>
__global__ void transpose(int n, const float *in, float *out)
{
    __shared__ float tile[32][32 + PAD];
    int x = threadIdx.x, left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][x] = in[(top + y) * n + left + x];
    __syncthreads(); // the tile is complete
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        out[(left + y) * n + top + x] = tile[x][y];
}

__global__ void transpose_naive(int n, const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

/* ---- reduction, histogram, scan, stencil --------------------------------- */

__device__ float warp_sum(float value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

/** *out += sum of in. */
__global__ void reduce_shfl(int n, const float *in, float *out)
{
    __shared__ float partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (lane == 0)
        partial[warp] = sum;
    __syncthreads(); // the partial sums are complete
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? partial[lane] : 0.0f;
        sum = warp_sum(sum);
        if (lane == 0)
            atomicAdd(out, sum);
    }
}

/** bins[v] += number of bytes with value v. */
__global__ void histogram(int n, const unsigned char *data, unsigned *bins)
{
    __shared__ unsigned count[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        count[bin] = 0;
    __syncthreads(); // all bins are 0
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        atomicAdd(&count[data[i]], 1);
    __syncthreads(); // all bytes are counted
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&bins[bin], count[bin]);
}

/** Running sums in place, one block of n threads. */
__global__ void scan_kogge_stone(int n, float *x)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = x[t];
    for (int distance = 1; distance < n; distance *= 2) {
        __syncthreads(); // the last step's sums are complete
        float before = t >= distance ? s[t - distance] : 0.0f;
        __syncthreads(); // all have read
        s[t] += before;
    }
    x[t] = s[t];
}

/** out[i] = weighted mean of in[i-1], in[i], in[i+1]; 0 outside. */
__global__ void stencil(int n, const float *in, float *out)
{
    __shared__ float tile[256 + 2];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t + 1] = i < n ? in[i] : 0.0f;
    if (t == 0)
        tile[0] = i > 0 ? in[i - 1] : 0.0f;
    if (t == 255)
        tile[257] = i + 1 < n ? in[i + 1] : 0.0f;
    __syncthreads(); // tile and halo are complete
    if (i < n)
        out[i] = 0.25f * tile[t] + 0.5f * tile[t + 1] + 0.25f * tile[t + 2];
}

/* ---- host ---------------------------------------------------------------- */

static void upload(float *device, const std::vector<float> &x)
{
    cudaMemcpy(device, x.data(), x.size() * sizeof(float),
               cudaMemcpyHostToDevice);
}

/** Compare, and clear for the next kernel. */
static void check(float *device, const std::vector<float> &expected)
{
    size_t bytes = expected.size() * sizeof(float);
    std::vector<float> got(expected.size());
    cudaMemcpy(got.data(), device, bytes, cudaMemcpyDeviceToHost);
    CHECK(got == expected);
    cudaMemset(device, 0xff, bytes);
}

/** Small integers, so that every float32 sum is exact in any order. */
static std::vector<float> numbers(int n, int m)
{
    std::vector<float> x(n);
    for (int i = 0; i < n; i++)
        x[i] = (float)(i * 7 % m - m / 2);
    return x;
}

static void matrix_products(int n, float *dA, float *dB, float *dC)
{
    std::vector<float> A = numbers(n * n, 13), B = numbers(n * n, 11);
    std::vector<float> C(n * n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
    upload(dA, A);
    upload(dB, B);
    dim3 grid(n / 32, n / 8), block(32, 8);
    gemm_naive_uncoalesced<<<grid, block>>>(n, dA, dB, dC);
    check(dC, C);
    gemm_naive_coalesced<<<grid, block>>>(n, dA, dB, dC);
    check(dC, C);
    gemm_shared<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(n, dA, dB, dC);
    check(dC, C);
    gemm_regtile<64, 64, 16, 4, 4>
        <<<dim3(n / 64, n / 64), 256>>>(n, dA, dB, dC);
    check(dC, C);
    gemm_regtile<128, 128, 8, 8, 8>
        <<<dim3(n / 128, n / 128), 256>>>(n, dA, dB, dC);
    check(dC, C);
}

static void transposes(int n, float *in, float *out)
{
    std::vector<float> x(n * n), transposed(n * n);
    for (int i = 0; i < n * n; i++)
        transposed[i % n * n + i / n] = x[i] = (float)i;
    upload(in, x);
    dim3 grid(n / 32, n / 32), block(32, 8);
    transpose<0><<<grid, block>>>(n, in, out);
    check(out, transposed);
    transpose<1><<<grid, block>>>(n, in, out);
    check(out, transposed);
    transpose_naive<<<dim3(n / 32, n / 8), block>>>(n, in, out);
    check(out, transposed);
}

static void patterns_of_vectors(int n, float *in, float *out)
{
    std::vector<float> x = numbers(n, 15), smooth(n), sums(512);
    double sum = 0.0;
    float running = 0.0f;
    for (int i = 0; i < n; i++) {
        float left = i > 0 ? x[i - 1] : 0.0f;
        float after = i + 1 < n ? x[i + 1] : 0.0f;
        smooth[i] = 0.25f * left + 0.5f * x[i] + 0.25f * after;
        sum += x[i];
    }
    for (int i = 0; i < 512; i++)
        sums[i] = running += x[i];
    upload(in, x);
    cudaMemset(out, 0, sizeof(float));
    reduce_shfl<<<64, 256>>>(n, in, out);
    check(out, {(float)sum});
    stencil<<<n / 256, 256>>>(n, in, out);
    check(out, smooth);
    scan_kogge_stone<<<1, 512, 512 * sizeof(float)>>>(512, in);
    check(in, sums);
}

/** Multiplicative hashing spreads the bytes of a warp over the bins. */
static void histograms(int n)
{
    std::vector<unsigned char> x(n);
    unsigned char *data;
    unsigned *bins, count[256], expected[256] = {0};
    for (int i = 0; i < n; i++)
        expected[x[i] = (unsigned char)(i * 2654435761u >> 24)]++;
    cudaMalloc((void **)&data, n);
    cudaMalloc((void **)&bins, sizeof count);
    cudaMemcpy(data, x.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof count);
    histogram<<<32, 256>>>(n, data, bins);
    cudaMemcpy(count, bins, sizeof count, cudaMemcpyDeviceToHost);
    CHECK(!memcmp(count, expected, sizeof count));
}

CASE(twelve)
{
    const int n = 1024 * 1024;
    float *a = room<float>(n), *b = room<float>(n), *c = room<float>(n);
    matrix_products(256, a, b, c);
    transposes(1024, a, b);
    patterns_of_vectors(n, a, b);
    histograms(n);
    CHECK_CUDA(cudaGetLastError());
}

/* ---- a mixture ----------------------------------------------------------- */

__constant__ int weights[16];

__device__ int total;

/** Sum of the divisors of i that are at most 32. */
__global__ void divisors(const int *in, int *out, int n)
{
    __shared__ int cache[128];
    __shared__ int odd;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? in[i] : 0;
    if (threadIdx.x == 0)
        odd = 0;
    __syncthreads(); // the cache is complete
    int value = cache[threadIdx.x ^ 1], sum = 0;
    for (int d = 1; d <= value % 33; d++)
        if (value % d == 0)
            sum += d * weights[d % 16];
    if (sum % 2)
        atomicAdd(&odd, 1);
    __syncthreads(); // all have counted
    if (i < n)
        out[i] = sum + __shfl_xor_sync(0xffffffff, sum, 3);
    if (threadIdx.x == 0)
        atomicAdd(&total, odd);
}

template <int FACTOR>
__global__ void saxpy(const float4 *x, float4 *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        float4 v = x[i], w = y[i];
        w.x = FACTOR * v.x + w.x;
        w.y = FACTOR * v.y + w.y;
        w.z = FACTOR * v.z + w.z;
        w.w = FACTOR * v.w + w.w;
        y[i] = w;
    }
}

CASE(mixture)
{
    const int n = 4096;
    int h[16], *in = room<int>(n), *out = room<int>(n);
    static int numbers[n];
    float4 *x = zeros<float4>(n), *y = zeros<float4>(n);
    for (int i = 0; i < 16; i++)
        h[i] = i;
    for (int i = 0; i < n; i++)
        numbers[i] = i * 7919 % 1000;
    CHECK_CUDA(cudaMemcpyToSymbol(weights, h, sizeof h));
    CHECK_CUDA(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyDefault));
    divisors<<<n / 128, 128>>>(in, out, n);
    saxpy<2><<<7, 96>>>(x, y, n);
    CHECK_CUDA(cudaDeviceSynchronize());
}
