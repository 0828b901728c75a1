// refuse: setp.lt.and.s32
__global__ void compare(int *d)
{
    asm volatile("{ .reg .pred p, q; setp.lt.s32 q, %0, 3; "
                 "setp.lt.and.s32 p, %0, 2, q; selp.s32 %0, 1, 0, p; }"
                 : "+r"(d[0]));
}
