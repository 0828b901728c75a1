// refuse: mbarrier.arrive.relaxed.cta.shared::cta.b64
__global__ void arrive(unsigned barrier)
{
    asm volatile(
        "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(barrier)
        : "memory");
}
