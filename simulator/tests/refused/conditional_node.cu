// refuse: conditional nodes of graphs
#include <cuda_runtime.h>
int main()
{
    cudaGraphConditionalHandle handle; // here
    (void)handle;
    return 0;
}
