// refuse: sqrt.rn.f32; write a function of CUDA's math library
__global__ void root(float *p)
{
    asm("sqrt.rn.f32 %0, %1;" : "=f"(p[0]) : "f"(p[0]));
}
