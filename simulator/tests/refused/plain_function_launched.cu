// refuse: increment is no kernel
void increment(int *x)
{
    ++*x;
}
int main()
{
    int *d;
    cudaMalloc(&d, 4);
    increment<<<1, 1>>>(d); // here
}
