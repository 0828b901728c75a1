// refuse: __vabsdiffu4: SIMD
__global__ void differ(unsigned *x)
{
    x[0] = __vabsdiffu4(x[1], x[2]); // here
}
