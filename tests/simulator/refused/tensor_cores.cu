// refuse: mma.h
#include <mma.h>
int main()
{
    return 0;
}
