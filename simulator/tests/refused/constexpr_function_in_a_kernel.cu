// refuse: call to __host__ function from __global__ function
constexpr int twice(int x)
{
    return 2 * x;
}
__global__ void k(int *x)
{
    *x = twice(*x); // here
}
int main()
{
    k<<<1, 1>>>(nullptr);
}
