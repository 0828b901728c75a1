// Threads work on neighbouring bytes of one word: no byte is shared, so there
// is no race, although the words are.

#include <cuda_runtime.h>

__global__ void upper_case(char *text)
{
    __shared__ char s[64];
    int t = threadIdx.x * 7 % 64; // a word's bytes belong to several warps
    s[t] = text[t];
    s[t] += 'A' - 'a';
    text[t] = s[t];
}

int main()
{
    char *text;
    cudaMalloc((void **)&text, 64);
    cudaMemset(text, 'a', 64);
    upper_case<<<1, 64>>>(text);
    return cudaDeviceSynchronize();
}
