// refuse: no viable conversion from 'const char[4]' to 'dim3'
__global__ void k()
{
}
int main()
{
    k<<<"one", 1>>>(); // here
}
