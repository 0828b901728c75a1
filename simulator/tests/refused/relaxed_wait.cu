// refuse: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64
__global__ void wait(unsigned barrier)
{
    asm volatile("{ .reg .pred done; again: "
                 "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 done, "
                 "[%0], 0; @!done bra again; }" ::"r"(barrier)
                 : "memory");
}
