// refuse: k is a kernel: it is launched
__global__ void k(int *x)
{
    *x = 1;
}
int main()
{
    int *d;
    cudaMalloc(&d, 4);
    k(d); // here
}
