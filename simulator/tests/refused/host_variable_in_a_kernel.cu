// refuse: reference to __host__ variable 'limit' in __global__ function
int limit = 3;
__global__ void k(int *x)
{
    *x = limit; // here
}
int main()
{
    k<<<1, 1>>>(nullptr);
}
