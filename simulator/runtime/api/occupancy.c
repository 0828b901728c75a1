/**
 * @file occupancy.c
 * @brief What programs ask about kernels: attributes, occupancy.
 */
#include "api.h"

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *kernel)
{
    RETURN_IF(!kernel || !attributes, cudaErrorInvalidDeviceFunction);
    const sim_kernel_info *k = sim_kernel_get(kernel);
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = k->shared_bytes,
        .localSizeBytes = k->local_bytes,
        .maxThreadsPerBlock = (int)k->most_threads,
        .ptxVersion = 90,
        .binaryVersion = 90,
        .maxDynamicSharedSizeBytes = (int)k->dynamic_limit,
        .preferredShmemCarveout = -1};
    return sim_return(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *kernel,
                                 enum cudaFuncAttribute attribute, int value)
{
    RETURN_IF(!kernel, cudaErrorInvalidDeviceFunction);
    sim_kernel_info *k = sim_kernel_get(kernel);
    RETURN_IF(attribute == cudaFuncAttributePreferredSharedMemoryCarveout,
              cudaSuccess);
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        k->large_clusters = value != 0;
        return sim_return(cudaSuccess);
    }
    RETURN_IF(attribute != cudaFuncAttributeMaxDynamicSharedMemorySize ||
                  value < 0 ||
                  (size_t)value + k->shared_bytes > SHARED_PER_BLOCK,
              cudaErrorInvalidValue);
    k->dynamic_limit = (size_t)value;
    return sim_return(cudaSuccess);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *kernel,
                                       enum cudaSharedMemConfig config)
{
    (void)config;
    return sim_return(kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel,
                                   enum cudaFuncCache config)
{
    (void)config;
    return sim_return(kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *kernel,
                                                          int block_size,
                                                          size_t dynamic_bytes)
{
    RETURN_IF(!blocks || block_size < 1, cudaErrorInvalidValue);
    RETURN_IF(!kernel, cudaErrorInvalidDeviceFunction);
    *blocks = 0;
    const sim_kernel_info *k = sim_kernel_get(kernel);
    if (block_size <= (int)k->most_threads && dynamic_bytes <= SHARED_PER_BLOCK)
        *blocks = sim_resident_blocks(block_size, ASSUMED_REGISTERS,
                                      k->shared_bytes + dynamic_bytes);
    return sim_return(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int block_size, size_t dynamic_bytes,
    unsigned int flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, kernel, block_size, dynamic_bytes);
}

/* As if clusters could use any multiprocessors. A GPU's come in groups, of
 * which a cluster needs one: it may have room for fewer. */
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                                           const cudaLaunchConfig_t *config)
{
    int blocks = 0, size = 1;
    RETURN_IF(!clusters || !config, cudaErrorInvalidValue);
    const struct dim3 *block = &config->blockDim;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttributeValue *v = &config->attrs[i].val;
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            size = (int)(v->clusterDim.x * v->clusterDim.y * v->clusterDim.z);
    }
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, (int)(block->x * block->y * block->z),
        config->dynamicSmemBytes);
    *clusters = size < 1 ? 0 : MULTIPROCESSORS / size * blocks;
    return error;
}
