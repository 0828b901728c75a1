// refuse: cuda/semaphore
#include <cuda/semaphore>
int main()
{
    return 0;
}
