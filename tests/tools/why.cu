/**
 * @file why.cu
 * @brief A GEMM that is wrong in one of many ways: ./why BUG; see test_why.py.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define N 24
#define T 8

enum { SWAPPED, PITCH, STALE, FILLED, USED, BETA, LEFT, TWICE, UNSET, NAN_IN };
enum { CLEARED = NAN_IN + 1, LATER, PART, ATOMIC, SAME, CALLED, HALF, LATE };
enum { SHIFTED = LATE + 1, FACTOR };

__device__ float load(const float *p)
{
    return p[1]; // CALLED
}

template <int BUG>
__global__ void gemm(const float *A, const float *B, float *C, float *D)
{
    __shared__ float As[T][T], Bs[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0;
    if (BUG == LEFT && blockIdx.x == 1)
        return;
    for (int k = 0; k < N; k += T) {
        if (BUG == SWAPPED)
            As[y][x] = A[(k + x) * N + row]; // SWAPPED
        else if (BUG == PITCH)
            As[y][x] = A[row * (N - 1) + k + x]; // PITCH
        else if (BUG == CALLED)
            As[y][x] = load(A + row * N + k + x - 1 + (k == T)); // CALLER
        else if (BUG == SHIFTED)
            As[y][(x + 1) % T] = A[row * N + k + x]; // SHIFTED
        else if (BUG != STALE || k != T)
            As[y][x] = A[row * N + k + x]; // TILE
        Bs[y][x] = B[(k + y) * N + col];
        if (BUG != FILLED)
            __syncthreads();
        for (int i = 0; i < T; i++)
            sum += As[y][i] * Bs[i][x]; // SUM
        if (BUG != USED)
            __syncthreads();
    }
    if (BUG == FACTOR)
        sum *= D[row]; // FACTOR
    int at = BUG == SAME ? blockIdx.y * T * N + col : row * N + col;
    if (BUG == BETA || BUG == UNSET || BUG == TWICE)
        C[at] += sum; // ADDED
    else if (BUG == ATOMIC)
        atomicAdd(&C[at], sum); // ATOMIC
    else
        C[at] = sum; // STORE
}

__global__ void after(float *C, const float *D, int bug)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (bug == LATER && i == 30)
        C[i + 1] = D[i]; // LATER
    if (bug == PART && i < N * N)
        C[i] += D[i]; // PART
}

__global__ void part(float *D)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N * N)
        D[i] = i % 2; // HALF OF IT
}

static float A[N * N], B[N * N], C[N * N], want[N * N];

int main(int argc, char **argv)
{
    static void (*const kernels[])(const float *, const float *, float *,
                                   float *) = {
        gemm<0>,  gemm<1>,  gemm<2>,  gemm<3>,  gemm<4>,  gemm<5>,  gemm<6>,
        gemm<7>,  gemm<8>,  gemm<9>,  gemm<10>, gemm<11>, gemm<12>, gemm<13>,
        gemm<14>, gemm<15>, gemm<16>, gemm<17>, gemm<18>, gemm<19>};
    int bug = argc > 1 ? atoi(argv[1]) : 0;
    bool adds = bug == BETA || bug == TWICE || bug == ATOMIC;
    float *d_A, *d_B, *d_C, *d_D;
    for (int i = 0; i < N * N; i++) {
        A[i] = (float)(i % 7 + i / N);
        B[i] = (float)(i % 5 - 1);
    }
    for (int i = 0; i < N * N * N; i++)
        want[i / N] += A[i / N / N * N + i % N] * B[i % N * N + i / N % N];
    A[5 * N + 3] = bug == NAN_IN ? NAN : A[5 * N + 3];
    cudaMalloc(&d_A, sizeof A);
    cudaMalloc(&d_B, sizeof B);
    cudaMalloc(&d_C, sizeof C);
    cudaMalloc(&d_D, sizeof C);
    cudaMemcpy(d_A, A, sizeof A / (bug == HALF ? 2 : 1), // COPY
               cudaMemcpyHostToDevice);
    cudaMemcpy(d_B, B, sizeof B, cudaMemcpyHostToDevice);
    if (adds)
        cudaMemset(d_C, bug == BETA ? 0x3f : 0, sizeof C); // MEMSET
    if (bug == LATER || bug == PART)
        part<<<9, 64>>>(d_D); // PART LAUNCH
    if (bug == FACTOR)
        cudaMemset(d_D, 0, N * 2); // FACTORS
    dim3 grid(N / T, N / T, bug == TWICE || bug == ATOMIC ? 2 : 1);
    kernels[bug]<<<grid, dim3(T, T)>>>(d_A, d_B, d_C, d_D); // LAUNCH
    if (bug == LATER || bug == PART)
        after<<<9, 64>>>(d_C, d_D, bug);
    if (bug == CLEARED)
        cudaMemset(d_C + 17, 0, 4); // CLEARED
    cudaMemcpy(C, d_C, sizeof C, cudaMemcpyDeviceToHost);
    if (bug == LATE)
        cudaMemset(d_C, 0, sizeof C);
    for (int i = 0; i < N * N; i++)
        if (!(C[i] == want[i])) {
            printf("C[%d]: got %g, want %g\n", i, C[i], want[i]);
            break;
        }
    return 0;
}
