// refuse: float &sum: a kernel cannot take a reference
template <int N>
__global__ void __launch_bounds__(N)
    k(const float *x, float &sum, int n = 3 & 1) // here
{
    sum = x[0];
}
int main()
{
}
