// refuse: parameter of type 'int *' with an lvalue of type 'float *'
__global__ void k(int *x)
{
    *x = 1;
}
int main()
{
    float *d;
    cudaMalloc(&d, 4);
    k<<<1, 1>>>(d); // here
}
