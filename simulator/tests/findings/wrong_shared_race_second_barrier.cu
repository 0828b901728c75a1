// The barrier after the loop's loads is missing: a fast warp overwrites the
// tile for its next step while a slow warp still reads this one.

#include <cuda_runtime.h>

__global__ void sums(const int *data, int *out)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int step = 0; step < 4; step++) {
        tile[t] = data[step * 64 + t]; // expect-one: shared-race
        __syncthreads();               // the tile is complete
        sum += tile[63 - t];           // expect-one: shared-race
#ifdef RIGHT
        __syncthreads(); // all have read it
#endif
    }
    out[t] = sum;
}

int main()
{
    int *data, *out;
    cudaMalloc((void **)&data, 256 * sizeof(int));
    cudaMalloc((void **)&out, 64 * sizeof(int));
    cudaMemset(data, 0, 256 * sizeof(int));
    sums<<<1, 64>>>(data, out);
    return cudaDeviceSynchronize();
}
