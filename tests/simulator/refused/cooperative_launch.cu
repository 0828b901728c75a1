// refuse: cudaLaunchCooperativeKernel
__global__ void nothing()
{
}
int main()
{
    return cudaLaunchCooperativeKernel((void *)nothing, dim3(1), dim3(1),
                                       nullptr, 0, 0);
}
