#include "cases.h"

// feature: calls for several devices, answered as with one: peers, copies
// between them

CASE(device_peers)
{
    int can = -1, rank = -1, *x = shared_zeros<int>(2);
    CHECK_CUDA(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK_EQUAL(can, 0);
    CHECK_EQUAL(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    CHECK_EQUAL(cudaDeviceDisablePeerAccess(1), cudaErrorInvalidDevice);
    CHECK_EQUAL(
        cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, 1),
        cudaErrorInvalidDevice);
    CHECK_EQUAL(cudaSetDevice(1), cudaErrorInvalidDevice);
    cudaGetLastError();
    x[1] = 7;
    CHECK_CUDA(cudaMemcpyPeer(&x[0], 0, &x[1], 0, sizeof *x));
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(x[0], 7);
    CHECK_EQUAL(cudaMemcpyPeer(&x[0], 1, &x[1], 0, sizeof *x),
                cudaErrorInvalidDevice);
    cudaGetLastError();
}
