// refuse: not the host's __atomic_
__global__ void k(int *x)
{
    __sync_fetch_and_add(x, 1); // here
}
int main()
{
    int *x;
    cudaMalloc((void **)&x, sizeof(int));
    k<<<1, 1>>>(x);
    return cudaDeviceSynchronize();
}
