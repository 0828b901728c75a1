// refuse: fragments of half
#include <mma.h>
using namespace nvcuda;
__global__ void load(const double *p)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
    wmma::load_matrix_sync(a, p, 16);
}
