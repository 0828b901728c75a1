// A bug of a public project, in our words (docs/experiments/bugs_found.md):
// a warp's sum takes the place of the maximum, which a slower warp has yet to
// read.

#include <cuda_runtime.h>

__global__ void softmax(float *out, const float *in, int cols)
{
    __shared__ float part[32]; // of each warp: its maximum, then its sum
    int t = threadIdx.x, warp = t / 32, warps = blockDim.x / 32;
    const float *row = in + (size_t)blockIdx.x * cols;

    float most = -INFINITY;
    for (int i = t; i < cols; i += blockDim.x)
        most = fmaxf(most, row[i]);
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    if (t % 32 == 0)
        part[warp] = most;
    __syncthreads(); // all maxima are there
    if (t == 0)
        for (int i = 1; i < warps; i++)
            part[0] = fmaxf(part[0], part[i]);
    __syncthreads(); // the maximum of the row is there
    most = part[0];  // expect-one: shared-race
#if RIGHT
    __syncthreads(); // all have read it before a sum takes its place
#endif

    float sum = 0.0f;
    for (int i = t; i < cols; i += blockDim.x)
        sum += expf(row[i] - most);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (t % 32 == 0)
        part[warp] = sum; // expect-one: shared-race
    __syncthreads();      // all sums are there
    if (t == 0)
        for (int i = 1; i < warps; i++)
            part[0] += part[i];
    __syncthreads(); // the sum of the row is there
    for (int i = t; i < cols; i += blockDim.x)
        out[(size_t)blockIdx.x * cols + i] = expf(row[i] - most) / part[0];
}

int main()
{
    const int rows = 2, cols = 50257; // one for each token that GPT-2 knows
    float *in, *out;
    cudaMalloc((void **)&in, rows * cols * sizeof(float));
    cudaMalloc((void **)&out, rows * cols * sizeof(float));
    cudaMemset(in, 0, rows * cols * sizeof(float));
    softmax<<<rows, 64>>>(out, in, cols);
    return cudaDeviceSynchronize();
}
