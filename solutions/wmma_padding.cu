// Padded tiles, the exercise: stores without conflicts, too.
#include "../chapters/wmma_padding/host/problem.cuh"

#include "../chapters/wmma_padding/kernels/1_wmma.cuh"

#define PAD 8 /**< halves after each row of a tile */

/** As wmma_kernel<PAD>. Launch: block THREADS, grid product_grid(). */
__global__ void __launch_bounds__(THREADS) ordered_kernel(product p)
{
    __shared__ __align__(32) __half As[BM][BK + PAD];
    __shared__ __align__(32) __half Bs[BK][BN + PAD];
    int64_t row = (int64_t)blockIdx.y * BM;
    int64_t col = (int64_t)blockIdx.x * BN;
    int warp = threadIdx.x / 32;
    int y = warp / (BN / WN) * WM;
    int x = warp % (BN / WN) * WN;
    fragment_sum sum[SIDE][SIDE];
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);
    for (int k_0 = 0; k_0 < p.K; k_0 += BK) {
        for (int i = threadIdx.x; i < BM * BK / HALVES; i += THREADS) {
            // [write 2] row and column of the piece that is the i-th to be
            // stored: lanes of a warp differ in i % 32
            int r = i / 32 * 8 + i % 8;
            int k = i % 32 / 8 * HALVES;
            //: int r = i / (BK / HALVES);
            //: int k = i % (BK / HALVES) * HALVES;
            // [end]
            *(uint4 *)&As[r][k] = eight(p.A + (row + r) * p.lda + k_0 + k,
                                        row + r < p.M && k_0 + k < p.K);
        }
        bring_b<PAD>(p, col, k_0, Bs);
        __syncthreads(); // both tiles are there
        for (int k = 0; k < BK; k += EDGE) {
            fragment_a a[SIDE];
            fragment_b b[SIDE];
            for (int i = 0; i < SIDE; i++) {
                wmma::load_matrix_sync(a[i], &As[y + i * EDGE][k], BK + PAD);
                wmma::load_matrix_sync(b[i], &Bs[k][x + i * EDGE], BN + PAD);
            }
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }
        __syncthreads(); // all have read what is overwritten now
    }
    float *staging = (float *)As + warp * EDGE * EDGE;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            store(p, row + y + i * EDGE, col + x + j * EDGE, sum[i][j],
                  staging);
}

static void ordered(const void *problem)
{
    product p = *(const product *)problem;
    dim3 grid = product_grid(&p);
    ordered_kernel<<<grid, THREADS>>>(p);
    CHECK_LAUNCH(ordered_kernel, grid, THREADS, 0);
}

static const variant variants[] = {
    {"ordered", "pieces are stored in another order", ordered},
};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    return variants_main(&e, argc, argv);
}
