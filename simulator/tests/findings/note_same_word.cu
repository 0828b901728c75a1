// Two lanes of one store write one word: one of them wins. Programs that write
// the same value from all lanes do it on purpose, so this is a note.

#include <cuda_runtime.h>

__global__ void set_flag(const int *data, int *out)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncwarp(); // found is 0
    if (data[threadIdx.x] == 0)
        found = 1; // expect: *-note
    __syncwarp();  // all lanes have looked
    out[threadIdx.x] = found;
}

int main()
{
    int *data, *out;
    cudaMalloc((void **)&data, 32 * sizeof(int));
    cudaMalloc((void **)&out, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    set_flag<<<1, 32>>>(data, out);
    return cudaDeviceSynchronize();
}
