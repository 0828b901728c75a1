// Stores what the host has put down as right. (of reduction)
// wrong: wrong on
#include "../chapters/reduction/problem.cuh"

__global__ void answer_kernel(float *result, float answer)
{
    *result = answer;
}

template <operation OP>
static void launch_answer(const reduction *r)
{
    answer_kernel<<<1, 1>>>(r->result, (float)r->want);
    CHECK_LAUNCH(answer_kernel, 1, 1, 0);
}

static void answer(const void *problem)
{
    launch_answer<SUM>((const reduction *)problem);
}

static const variant variants[] = {{"warps", "no sum at all", answer}};

int main(int argc, char **argv)
{
    experiment e = describe(variants, COUNT(variants));
    variants_open(&e, argc, argv);
    variants_verify(&e);
    variants_time(&e);
    return variants_close(&e);
}
