// refuse: cudaGraphicsMapResources: this part of the runtime's API
#include <cuda_runtime.h>
int main()
{
    return cudaGraphicsMapResources(); // here
}
