// hunt of gemm_09_autotune
// One of three tiles is wrong.

#include "gemm.h"

#define SIDE 16               /**< of a thread's rows and columns, apart */
#define THREADS (SIDE * SIDE) /**< of a block, whatever its tile is */
#define BK 8                  /**< step along K (elements) */

/**
 * A block computes a tile of C of EDGE x EDGE elements, a thread every
 * SIDE-th row and column of it.
 *
 * Launch: block (THREADS), grid (ceil(N / EDGE), ceil(M / EDGE)).
 */
template <int EDGE>
__global__ void gemm_kernel(gemm_problem p)
{
    const int EACH = EDGE / SIDE; // rows and columns of a thread
    __shared__ float As[BK][EDGE];
    __shared__ float Bs[BK][EDGE];
    int tile_row = blockIdx.y * EDGE, tile_col = blockIdx.x * EDGE;
    int y = threadIdx.x / SIDE, x = threadIdx.x % SIDE;

    float sum[EACH][EACH] = {{0.0f}};
    for (int64_t first = 0; first < p.K; first += BK) {
        // [hunt]
        int turns = ceil_div(EDGE * BK, THREADS);
        //: int turns = EDGE * BK / THREADS;
        // [end]
        for (int turn = 0; turn < turns; turn++) {
            int i = turn * THREADS + threadIdx.x; // of the words of a tile
            // [hunt]
            if (i >= EDGE * BK)
                break; // some threads have no word in the last turn
            // [end]
            int row = tile_row + i / BK, col = tile_col + i % EDGE;
            int64_t k_a = first + i % BK, k_b = first + i / EDGE;
            As[i % BK][i / BK] =
                row < p.M && k_a < p.K ? p.A[(int64_t)row * p.lda + k_a] : 0.0f;
            Bs[i / EDGE][i % EDGE] =
                k_b < p.K && col < p.N ? p.B[k_b * p.ldb + col] : 0.0f;
        }
        __syncthreads(); // both tiles are complete before anybody reads them
        for (int k = 0; k < BK; k++) {
            float a[EACH], b[EACH];
            for (int i = 0; i < EACH; i++) {
                a[i] = As[k][y + i * SIDE];
                b[i] = Bs[k][x + i * SIDE];
            }
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads(); // all have read the tiles before they are replaced
    }

    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            int row = tile_row + y + i * SIDE, col = tile_col + x + j * SIDE;
            float *c = p.C + (int64_t)row * p.ldc + col;
            float new_c = p.alpha * sum[i][j];
            if (row < p.M && col < p.N)
                *c = p.beta == 0.0f ? new_c : new_c + p.beta * *c;
        }
    }
}

/** The tile that leaves the fewest columns empty; of several the largest. */
static int best_edge(int N)
{
    int best = 64;
    for (int edge = 48; edge >= 32; edge -= 16)
        if ((int64_t)ceil_div(N, edge) * edge <
            (int64_t)ceil_div(N, best) * best)
            best = edge;
    return best;
}

/** Enqueue one GEMM with the best tile. */
static void launch(const gemm_problem *p)
{
    int edge = best_edge(p->N);
    void (*kernel)(gemm_problem) = edge == 32   ? gemm_kernel<32>
                                   : edge == 48 ? gemm_kernel<48>
                                                : gemm_kernel<64>;
    dim3 block(THREADS);
    dim3 grid(ceil_div(p->N, edge), ceil_div(p->M, edge));
    REQUIRE(grid.y <= MAX_GRID_Y, "--M %d: this kernel takes at most %d", p->M,
            MAX_GRID_Y * edge);
    kernel<<<grid, block>>>(*p);
    CHECK_LAUNCH(kernel, grid, block, 0);
}

int main(int argc, char **argv)
{
    return gemm_main(argc, argv, "gemm_09_autotune", launch);
}
