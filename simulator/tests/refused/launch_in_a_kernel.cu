// refuse: launch
__global__ void child(int *x)
{
    *x = 1;
}
__global__ void parent(int *x)
{
    child<<<1, 1>>>(x);
}
int main()
{
    parent<<<1, 1>>>(nullptr);
    return 0;
}
