// refuse: too few arguments between <<< and >>>, expected at least 2, have 1
__global__ void k(int *x)
{
    *x = 1;
}
int main()
{
    int *d;
    cudaMalloc(&d, 4);
    k<<<1>>>(d); // here
}
