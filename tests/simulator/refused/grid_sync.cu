// refuse: grid
#include <cooperative_groups.h>
__global__ void wait()
{
    cooperative_groups::this_grid().sync();
}
int main()
{
    return 0;
}
