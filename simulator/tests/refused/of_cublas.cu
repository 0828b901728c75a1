// refuse: cublasStrsm: this part of cuBLAS
#include <cublas_v2.h>
int main()
{
    return cublasStrsm(); // here
}
