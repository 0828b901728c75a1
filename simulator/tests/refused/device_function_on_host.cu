// refuse: call to __device__ function from __host__ function
__device__ int increment(int x)
{
    return x + 1;
}
int main()
{
    return increment(3); // here
}
