// refuse: cuInit: of the driver API
#include <cuda.h>
int main()
{
    return cuInit(0); // here
}
