// refuse: curand
#include <curand_kernel.h>
int main()
{
    return 0;
}
