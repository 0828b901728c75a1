// No call has told this program that its assertion has failed.

#include <assert.h>
#include <cuda_runtime.h>

__global__ void never(int x)
{
    assert(x > 0); // expect: assertion
}

int main()
{
    never<<<1, 1>>>(0);
    return 0;
}
