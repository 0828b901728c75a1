// refuse: cuda/barrier
#include <cuda/barrier>
int main()
{
    return 0;
}
