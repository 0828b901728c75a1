// Variables that main.cu has, too, and others of that name.

__constant__ float most[2];
__device__ double calls = 0.5;

__global__ static void look(double *result)
{
    calls += 1;
    result[0] = calls;
    result[1] = most[1];
}

bool other_is_right()
{
    float numbers[2] = {1, 2.5f};
    double *d, x[2];
    cudaMemcpyToSymbol(most, numbers, sizeof numbers);
    cudaMalloc((void **)&d, sizeof x);
    look<<<1, 1>>>(d);
    cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return x[0] == 1.5 && x[1] == 2.5;
}
