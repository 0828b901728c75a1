// refuse: 8 bits
#include <cuda_fp8.h>
int main()
{
    return 0;
}
