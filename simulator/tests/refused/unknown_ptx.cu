// refuse: wgmma
__global__ void multiply()
{
    asm volatile("wgmma.fence.sync.aligned;");
}
int main()
{
    multiply<<<1, 1>>>();
    return 0;
}
