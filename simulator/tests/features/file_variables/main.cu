#include "cases.h"

// feature: a `__constant__` or `__device__` variable is its file's own, though
// another file has one of the same name
// counted only: g++ gives both files one, or none

__constant__ short most[] = {7};
__device__ int calls;

/** Of other.cu: it has variables of these names, too. */
bool other_is_right();

__global__ void count(int *result)
{
    calls++;
    result[0] = calls;
    result[1] = most[0];
}

CASE(file_variables)
{
    int *x = room<int>(2);
    count<<<1, 1>>>(x);
    count<<<1, 1>>>(x);
    CHECK(fetch(x) == 2 && fetch(x + 1) == 7);
    CHECK(other_is_right());
}
