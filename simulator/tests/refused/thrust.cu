// refuse: thrust
#include <thrust/device_vector.h>
int main()
{
    return 0;
}
