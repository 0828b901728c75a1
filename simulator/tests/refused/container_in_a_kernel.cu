// refuse: call to __host__ function from __global__ function
#include <vector>
__global__ void k(int *x)
{
    std::vector<int> v(3); // here
    *x = 1;
}
int main()
{
    k<<<1, 1>>>(nullptr);
}
