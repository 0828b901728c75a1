// refuse: cluster
__global__ void __cluster_dims__(2, 1, 1) nothing()
{
}
int main()
{
    return 0;
}
