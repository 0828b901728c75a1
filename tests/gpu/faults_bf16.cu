/**
 * @file faults_bf16.cu
 * @brief The verifier on a GPU: planted faults are refused, right kernels not.
 *
 * Run: make test-gpu, or build/gpu/tests/faults [NAME]
 */
#include "../unit/faults_bf16.cu"
