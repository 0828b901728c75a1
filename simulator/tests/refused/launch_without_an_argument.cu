// refuse: too few arguments to function call, expected 2, have 1
__global__ void k(int *x, int n)
{
    if (n)
        *x = 1;
}
int main()
{
    int *d;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d); // here
}
