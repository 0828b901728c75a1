// refuse: cas.b16
__global__ void swap(unsigned short *p)
{
    unsigned short old;
    asm volatile("atom.global.cas.b16 %0, [%1], 0, 1;" : "=h"(old) : "l"(p));
}
