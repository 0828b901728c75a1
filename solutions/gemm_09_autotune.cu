// GEMM step 9, the exercise: which tile leaves the fewest SMs without work?
#include "gemm.h"

#define SIDE 16 /**< a block is SIDE x SIDE threads, whatever its tile is */
#define BK 8    /**< step along K (elements) */

/**
 * A block computes a tile of C of EDGE x EDGE elements, a thread every
 * SIDE-th row and column of it.
 *
 * Launch: block (SIDE * SIDE), grid (ceil(N / EDGE), ceil(M / EDGE)).
 */
template <int EDGE>
__global__ void __launch_bounds__(SIDE *SIDE)
    gemm_kernel(int M, int N, int K, float alpha, const float *A, int lda,
                const float *B, int ldb, float beta, float *C, int ldc)
{
    const int EACH = EDGE / SIDE; // rows and columns of a thread
    __shared__ float As[BK][EDGE];
    __shared__ float Bs[BK][EDGE];
    int tile_row = blockIdx.y * EDGE, tile_col = blockIdx.x * EDGE;
    int thread_row = threadIdx.x / SIDE, thread_col = threadIdx.x % SIDE;

    float sum[EACH][EACH] = {{0.0f}};
    for (int64_t first = 0; first < K; first += BK) {
        for (int i = threadIdx.x; i < EDGE * BK; i += SIDE * SIDE) {
            int row = tile_row + i / BK, col = tile_col + i % EDGE;
            int k_a = first + i % BK, k_b = first + i / EDGE;
            As[i % BK][i / BK] =
                row < M && k_a < K ? A[(int64_t)row * lda + k_a] : 0.0f;
            Bs[i / EDGE][i % EDGE] =
                k_b < K && col < N ? B[(int64_t)k_b * ldb + col] : 0.0f;
        }
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            float a[EACH], b[EACH];
            for (int i = 0; i < EACH; i++) {
                a[i] = As[k][thread_row + i * SIDE];
                b[i] = Bs[k][thread_col + i * SIDE];
            }
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads(); // all have read the tiles before they are replaced
    }

    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            int row = tile_row + thread_row + i * SIDE;
            int col = tile_col + thread_col + j * SIDE;
            float *c = C + (int64_t)row * ldc + col;
            float x = alpha * sum[i][j];
            if (row < M && col < N)
                *c = beta == 0.0f ? x : x + beta * *c;
        }
    }
}

/**
 * The edge of the tiles: of 128, 64 and 32 the largest whose use is 0.75 at
 * least, and 32 if there is none. In one wave each SM computes a tile. The use
 * is the number of elements of C over those that all SMs could compute in as
 * many waves as the tiles take.
 */
static int best_edge(int M, int N, int sms)
{
    // [write 8] from the largest to the smallest: tiles, waves, use
    for (int edge = 128; edge > 32; edge /= 2) {
        int64_t tiles = (int64_t)ceil_div(M, edge) * ceil_div(N, edge);
        int64_t waves = (tiles + sms - 1) / sms;
        double most = (double)waves * sms * edge * edge;
        if ((double)M * N / most >= 0.75)
            return edge;
    }
    return 32;
    //: return 0;
    // [end]
}

/** Any of the kernels: they differ in the edge of their tiles only. */
typedef void (*kernel_fn)(int M, int N, int K, float alpha, const float *A,
                          int lda, const float *B, int ldb, float beta,
                          float *C, int ldc);

/** Enqueue one GEMM, with the best tiles for this GPU. */
static void launch(const gemm_problem *p)
{
    int sms = device_attribute(cudaDevAttrMultiProcessorCount);
    int edge = best_edge(p->M, p->N, sms);
    if (edge != 128 && edge != 64 && edge != 32)
        return; // no such kernel
    kernel_fn kernel = edge == 32 ? gemm_kernel<32> : gemm_kernel<64>;
    if (edge == 128)
        kernel = gemm_kernel<128>;
    dim3 block(SIDE * SIDE);
    dim3 grid(ceil_div(p->N, edge), ceil_div(p->M, edge));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * edge);
    kernel<<<grid, block>>>(p->M, p->N, p->K, p->alpha, p->A, p->lda, p->B,
                            p->ldb, p->beta, p->C, p->ldc);
    CHECK_LAUNCH(kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_09_autotune", launch);
}
