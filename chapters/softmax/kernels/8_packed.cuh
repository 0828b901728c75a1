/**
 * @file 8_packed.cuh
 * @brief A thread a row again, for rows of up to 64 elements.
 *
 * Change: 32 rows that lie back to back are one piece of memory. A warp brings
 *         it into shared memory 16 bytes a lane, whatever the row is; there
 *         each lane has a row of its own, and keeps it in registers.
 * Reason: no lane is idle, no shuffle is needed, and no request asks for a
 *         sector twice. All loads of a warp are under way at a time.
 * Limit:  nothing may lie between the rows.
 * Uses:   nothing
 */

#include "cp_async.cuh"

#ifndef PACKERS
#define PACKERS 128 /**< threads of a block, each with a row */
#endif
#define PACKED_COLS 64 /**< columns, at most */

/**
 * Softmax of a row in shared memory, by one thread.
 *
 * The lanes of a warp do this with rows side by side. If the number of columns
 * is odd, elements c of 32 rows lie in 32 banks. If it is even, each lane
 * begins one column further than the one before, and goes round.
 *
 * @param cols  MOST - 7 to MOST
 */
// [row_alone]
template <int MOST, bool EVEN>
__device__ void row_alone(float *row, int cols, int lane)
{
    int start = EVEN ? lane % cols : 0;
    float v[MOST], most = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int c = 0; c < MOST; c++) {
        int at = EVEN && start + c >= cols ? start + c - cols : start + c;
        bool there = c < MOST - 7 || c < cols;
        v[c] = there ? row[at] : -INFINITY;
        most = fmaxf(most, v[c]);
    }
#pragma unroll
    for (int c = 0; c < MOST; c++) {
        v[c] = __expf(v[c] - most);
        sum += v[c];
    }
    float scale = 1.0f / sum;
#pragma unroll
    for (int c = 0; c < MOST; c++) {
        int at = EVEN && start + c >= cols ? start + c - cols : start + c;
        if (c < MOST - 7 || c < cols)
            row[at] = v[c] * scale;
    }
}
// [row_alone]

/**
 * A warp computes 32 rows.
 *
 * Launch: block PACKERS, grid ceil(rows / PACKERS), PACKERS rows of floats of
 * shared memory.
 */
template <int MOST>
__global__ void __launch_bounds__(PACKERS) packed_kernel(softmax s)
{
    extern __shared__ __align__(16) float rows[];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int64_t first = ((int64_t)blockIdx.x * PACKERS + warp * 32);
    if (first >= s.rows)
        return;                                        // the whole warp
    int count = (int)min(s.rows - first, (int64_t)32); // rows of this warp
    // [packed]
    const float *x = s.x + first * s.cols;
    float *y = s.y + first * s.cols;
    float *mine = rows + warp * 32 * s.cols;
    int elements = count * s.cols, fours = elements / 4;
    for (int i = lane; i < fours; i += 32)
        copy_async<16>(&mine[4 * i], &x[4 * i], true);
    if (lane < elements % 4)
        mine[4 * fours + lane] = x[4 * fours + lane];
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp(); // what all lanes have brought is there
    float *row = &mine[lane * s.cols];
    if (lane < count && s.cols % 2 == 0)
        row_alone<MOST, true>(row, s.cols, lane);
    else if (lane < count)
        row_alone<MOST, false>(row, s.cols, lane);
    __syncwarp(); // all rows are done before others take them away
    for (int i = lane; i < fours; i += 32)
        ((float4 *)y)[i] = ((float4 *)mine)[i];
    if (lane < elements % 4)
        y[4 * fours + lane] = mine[4 * fours + lane];
    // [packed]
}

template <int MOST>
static void launch_packed(const softmax *s)
{
    unsigned grid = device_blocks(s->rows, PACKERS);
    size_t bytes = (size_t)s->cols * PACKERS * sizeof(float);
    packed_kernel<MOST><<<grid, PACKERS, bytes>>>(*s);
    CHECK_LAUNCH(packed_kernel<MOST>, grid, PACKERS, bytes);
}

static const char *packed_refuse(const void *problem)
{
    const softmax *s = (const softmax *)problem;
    return s->cols > PACKED_COLS ? "a row does not fit into a thread"
           : s->pitch != s->cols ? "rows do not lie back to back"
                                 : NULL;
}

static void packed(const void *problem)
{
    static void (*const launch[])(const softmax *) = {
        launch_packed<8>,  launch_packed<16>,         launch_packed<24>,
        launch_packed<32>, launch_packed<40>,         launch_packed<48>,
        launch_packed<56>, launch_packed<PACKED_COLS>};
    const softmax *s = (const softmax *)problem;
    launch[(s->cols - 1) / 8](s);
}
