// refuse: a kernel takes 32764 bytes of parameters
struct large {
    char data[32757];
};
__global__ void k(large x, int *out)
{
    out[threadIdx.x] = x.data[threadIdx.x];
}
int main()
{
    static large x;
    k<<<1, 1>>>(x, nullptr); // here
}
