/**
 * @file faults.cu
 * @brief The verifier on a GPU: planted faults are refused, right kernels not.
 *
 * Run: make test-gpu, or build/gpu/tests/faults [NAME]
 */
#include "../unit/faults.cu"
