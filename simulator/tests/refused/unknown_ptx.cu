// refuse: tcgen05
__global__ void multiply()
{
    asm volatile("tcgen05.fence::before_thread_sync;");
}
