// Two lanes read a word, the warp synchronises, one of them writes it. Who
// remembers only the last reader of a word calls this a race; it is none.

#include <cuda_runtime.h>

__global__ void halve(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads(); // the array is complete
    if (t < 32)
        for (int distance = 32; distance > 0; distance /= 2) {
            int sum = s[t] + s[t + distance];
            __syncwarp(); // all lanes have read
            s[t] = sum;
            __syncwarp(); // all lanes have written
        }
    if (t == 0)
        data[0] = s[0];
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    halve<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
