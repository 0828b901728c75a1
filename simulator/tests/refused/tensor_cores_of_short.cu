// refuse: fragments of half
#include <mma.h>
using namespace nvcuda;
__global__ void load(const short *p)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, short, wmma::row_major> a;
    wmma::load_matrix_sync(a, p, 16);
}
