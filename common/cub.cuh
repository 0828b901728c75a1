/**
 * @file cub.cuh
 * @brief CUB as a library to compare with: it works in storage that the caller
 *        takes, and the same call says how much. GPU builds only.
 *
 * A chapter includes CUB's header and defines cub_call().
 */
#ifndef CUB_CUH
#define CUB_CUH

static void *cub_storage; /**< on the device */
static size_t cub_bytes;  /**< of cub_storage */

/** Enqueue the operation; with storage NULL set cub_bytes, and no more. */
static void cub_call(const void *problem, void *storage);

/** Enqueue the operation; variant::enqueue. */
static void cub_enqueue(const void *problem)
{
    cub_call(problem, cub_storage);
}

/** Take the storage, so that no time of it counts. */
static void cub_allocate(const void *problem)
{
    cub_call(problem, NULL);
    CUDA_CHECK(cudaMalloc(&cub_storage, cub_bytes));
}

/** Release it; variant::close. */
static void cub_close(void)
{
    CUDA_CHECK(cudaFree(cub_storage));
}

#endif
