// The reduction that was taught before Volta: volatile, and no __syncwarp. It
// counts on lanes that run in lockstep.

#include <cuda_runtime.h>

__global__ void sum(int *data)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads(); // the array is complete
    if (t < 32) {
        s[t] += s[t + 32];
        if (t < 16)
            s[t] += s[t + 16]; // expect: warp-race
    }
    if (t == 0)
        data[0] = s[0];
}

int main()
{
    int *data;
    cudaMalloc((void **)&data, 64 * sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    sum<<<1, 64>>>(data);
    return cudaDeviceSynchronize();
}
