// refuse: must have void return type
__global__ int k(int *x) // here
{
    return *x;
}
int main()
{
}
