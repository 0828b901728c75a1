// Accesses outside of arrays whose names and shapes the program has told; and a
// process that forks.

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" void sim_name_array(const void *, const char *, size_t, int64_t,
                               int64_t);

__global__ void read(const float *x, int index, float *out)
{
    *out = x[index];
}

int main(int argc, char **argv)
{
    int which = argc > 1 ? atoi(argv[1]) : 0;
    float *A, *sum, *out;
    cudaMalloc(&A, (3 * 68 + 64) * sizeof(float)); // 4 x 64, row pitch 68
    cudaMalloc(&sum, 4 * sizeof(float));
    cudaMalloc(&out, sizeof(float));
    cudaMemset(A, 0, (3 * 68 + 64) * sizeof(float));
    sim_name_array(A, "A", sizeof(float), 64, 68);
    sim_name_array(sum, "sum", sizeof(float), 4, 0);
    const int index[] = {3 * 68 + 64, 6 * 68 + 2, -68, 7};
    if (which == 4) {
        read<<<1, 1>>>(A, 0, out);
        int status = 0;
        if (fork() == 0)
            read<<<1, 1>>>(A, 1, out); // by a child
        else
            wait(&status);
        return WEXITSTATUS(status);
    }
    read<<<1, 1>>>(which == 3 ? sum : A, index[which], out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
