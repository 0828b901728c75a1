/**
 * @file kernels.c
 * @brief Launches as programs write them: <<<...>>>, kernels by their address.
 */
#include "api.h"

/** A launch that is refused: what a GPU would say, and why. */
static cudaError_t refuse(const sim_job *r, cudaError_t error, const char *why)
{
    sim_finding("launch-limits", (sim_place){.file = r->file, .line = r->line},
                "%s: %s", r->expression, why);
    return error;
}

/** Clusters fill the grid, and are not too large. What the kernel has been
 *  compiled for, the launch need not say. */
static cudaError_t check_cluster(sim_job *r, const sim_kernel_info *kernel)
{
    unsigned most =
        kernel && kernel->large_clusters ? MOST_OF_CLUSTER : PORTABLE_CLUSTER;
    unsigned size = 1;
    for (int i = 0; i < 3; i++) {
        if (kernel && kernel->cluster[i] && r->cluster[i] == 1)
            r->cluster[i] = kernel->cluster[i];
        if (!r->cluster[i] || r->grid[i] % r->cluster[i])
            return refuse(
                r, cudaErrorInvalidConfiguration,
                sim_format(
                    "gridDim.%c is %u, clusters of %u blocks do not fill it",
                    "xyz"[i], r -> grid[i], r -> cluster[i]));
        size *= r->cluster[i];
    }
    if (size > most)
        return refuse(
            r, cudaErrorInvalidClusterSize,
            sim_format("clusters of %u blocks, allowed are %u", size, most));
    return cudaSuccess;
}

/** Would a GPU accept this? */
static cudaError_t check_limits(sim_job *r)
{
    static const unsigned most_threads[3] = MAX_BLOCK;
    static const unsigned most_blocks[3] = MAX_GRID;
    static const char axes[] = "xyz";
    uint64_t threads = (uint64_t)r->block[0] * r->block[1] * r->block[2];
    for (int i = 0; i < 3; i++) {
        if (r->block[i] == 0 || r->block[i] > most_threads[i])
            return refuse(r, cudaErrorInvalidConfiguration,
                          sim_format("blockDim.%c is %u, allowed is 1 to %u",
                                     axes[i], r->block[i], most_threads[i]));
        if (r->grid[i] == 0 || r->grid[i] > most_blocks[i])
            return refuse(r, cudaErrorInvalidConfiguration,
                          sim_format("gridDim.%c is %u, allowed is 1 to %u",
                                     axes[i], r->grid[i], most_blocks[i]));
    }
    if (threads > MAX_THREADS)
        return refuse(
            r, cudaErrorInvalidConfiguration,
            sim_format(
                "a block of %u x %u x %u threads, allowed are %d together",
                r->block[0], r->block[1], r->block[2], MAX_THREADS));
    const sim_kernel_info *kernel = sim_kernel_of(r);
    cudaError_t error = check_cluster(r, kernel);
    if (error)
        return error;
    if (kernel && threads > kernel->most_threads)
        return refuse(r, cudaErrorInvalidValue,
                      sim_format("a block of %llu threads; __launch_bounds__ "
                                 "promises at most %u",
                                 (unsigned long long)threads,
                                 kernel->most_threads));
    size_t fixed = kernel ? kernel->shared_bytes : 0;
    size_t limit = kernel ? kernel->dynamic_limit : sim_largest_dynamic_limit();
    if (fixed > SHARED_DEFAULT)
        return refuse(
            r, cudaErrorInvalidConfiguration,
            sim_format("%zu bytes of static shared memory, allowed are %d",
                       fixed, SHARED_DEFAULT));
    if (r->dynamic_bytes > limit ||
        r->dynamic_bytes + fixed > SHARED_PER_BLOCK ||
        (limit <= SHARED_DEFAULT && r->dynamic_bytes + fixed > SHARED_DEFAULT))
        return refuse(
            r, cudaErrorInvalidValue,
            sim_format(
                "%zu bytes of dynamic and %zu bytes of static shared memory; "
                "allowed are %d together, or %d after cudaFuncSetAttribute()",
                r->dynamic_bytes, fixed, SHARED_DEFAULT, SHARED_PER_BLOCK));
    return cudaSuccess;
}

/** Room for a launch with so many bytes of arguments. */
static sim_job *new_request(const unsigned grid[3], const unsigned block[3],
                            size_t dynamic_bytes, size_t args_bytes)
{
    sim_settings_read();
    sim_unhook();
    sim_memory_open();
    sim_job *r = /* aligned to 16, like any */
        sim_grow(NULL, sizeof(sim_job) + args_bytes);
    *r = (sim_job){.dynamic_bytes = dynamic_bytes,
                   .args_bytes = args_bytes,
                   .cluster = {1, 1, 1}};
    memcpy(r->grid, grid, sizeof r->grid);
    memcpy(r->block, block, sizeof r->block);
    return r;
}

/** Is an argument the name of a variable of the device, which the host takes
 *  for an address of its own? A kernel that uses it fails. */
static cudaError_t check_arguments(const sim_job *r)
{
    for (size_t at = 0; at + sizeof(uintptr_t) <= r->args_bytes;
         at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, r->args + at, sizeof word);
        const sim_variable_info *v = sim_variable_at(word);
        if (!v || v->managed || v->asked)
            continue;
        sim_finding("symbol-address",
                    (sim_place){.file = r->file, .line = r->line},
                    "%s: an argument is %s, a variable of the device\nin host "
                    "code its name is an address of the host, which no kernel "
                    "may use; cudaGetSymbolAddress knows the device's, and a "
                    "kernel can name the variable itself",
                    r->expression, v->array.name);
        sim_set_sticky(cudaErrorIllegalAddress);
        return cudaErrorIllegalAddress;
    }
    return cudaSuccess;
}

void sim_launch(const unsigned grid[3], const unsigned block[3],
                size_t dynamic_bytes, void *stream, void (*run)(void *args),
                const void *args, size_t args_bytes, const char *expression,
                const char *file, int line)
{
    if (sim_sticky())
        return;
    sim_job *r = new_request(grid, block, dynamic_bytes, args_bytes);
    r->run = run;
    r->expression = expression ? expression : "kernel";
    r->file = file;
    r->line = line;
    if (args_bytes)
        memcpy(r->args, args, args_bytes);
    cudaError_t error = check_limits(r);
    if (!error)
        error = check_arguments(r);
    if (!error)
        error = sim_enqueue(stream, cudaGraphNodeTypeKernel, sim_launch_now, r,
                            sizeof *r + args_bytes);
    sim_note_error(error);
    free(r);
}

/* ---- kernels by their address -------------------------------------------- */

/** See sim_launch_place(). */
static _Thread_local const char *place_file;
static _Thread_local int place_line;

void sim_launch_place(const char *file, int line)
{
    place_file = file;
    place_line = line;
}

/** Would all blocks of a GPU be there at once? */
static cudaError_t check_cooperative(const sim_job *r)
{
    int threads = (int)(r->block[0] * r->block[1] * r->block[2]), blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r->kernel, threads,
                                                  r->dynamic_bytes);
    uint64_t most = (uint64_t)blocks * MULTIPROCESSORS;
    uint64_t wanted_blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    if (r->cluster[0] * r->cluster[1] * r->cluster[2] > 1)
        return cudaErrorNotSupported; /* clusters that are set aside */
    if (wanted_blocks <= most)
        return cudaSuccess;
    return refuse(r, cudaErrorCooperativeLaunchTooLarge,
                  sim_format("%llu blocks are to wait for each other, but only "
                             "%llu can be there at once",
                             (unsigned long long)wanted_blocks,
                             (unsigned long long)most));
}

cudaError_t sim_launch_make(const struct cudaKernelNodeParams *params,
                            bool cooperative, const unsigned cluster[3],
                            void **launch, size_t *bytes)
{
    const unsigned grid[] = {params->gridDim.x, params->gridDim.y,
                             params->gridDim.z};
    const unsigned block[] = {params->blockDim.x, params->blockDim.y,
                              params->blockDim.z};
    const sim_kernel_info *kernel =
        params->func ? sim_kernel_at(params->func) : NULL;
    if (!kernel || !kernel->pack || params->extra)
        return cudaErrorInvalidDeviceFunction;
    void (*run)(void *);
    size_t args_bytes = kernel->pack(params->func, NULL, NULL, &run);
    sim_job *r = new_request(grid, block, params->sharedMemBytes, args_bytes);
    r->kernel = params->func;
    r->run = run;
    r->cooperative = cooperative;
    if (cluster)
        memcpy(r->cluster, cluster, sizeof r->cluster);
    r->file = place_file;
    r->line = place_line;
    sim_launch_place(NULL, 0);
    r->expression = kernel->name ? kernel->name : "kernel";
    kernel->pack(params->func, params->kernelParams, r->args, &run);
    cudaError_t error = check_limits(r);
    if (!error && cooperative)
        error = check_cooperative(r);
    if (error) {
        free(r);
        return error;
    }
    *launch = r;
    *bytes = sizeof *r + args_bytes;
    return cudaSuccess;
}

/** Launch a kernel by its address. */
static cudaError_t launch_by_address(const struct cudaKernelNodeParams *params,
                                     bool cooperative,
                                     const unsigned cluster[3],
                                     cudaStream_t stream)
{
    void *launch;
    size_t bytes;
    if (sim_sticky())
        return sim_sticky();
    cudaError_t error =
        sim_launch_make(params, cooperative, cluster, &launch, &bytes);
    RETURN_IF(error, error);
    error = sim_enqueue(stream, cudaGraphNodeTypeKernel, sim_launch_now, launch,
                        bytes);
    free(launch);
    return sim_return(error);
}

cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid,
                             struct dim3 block, void **args,
                             size_t dynamic_bytes, cudaStream_t stream)
{
    struct cudaKernelNodeParams params = {(void *)kernel,          grid, block,
                                          (unsigned)dynamic_bytes, args, NULL};
    return launch_by_address(&params, false, NULL, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, struct dim3 grid,
                                        struct dim3 block, void **args,
                                        size_t dynamic_bytes,
                                        cudaStream_t stream)
{
    struct cudaKernelNodeParams params = {(void *)kernel,          grid, block,
                                          (unsigned)dynamic_bytes, args, NULL};
    return launch_by_address(&params, true, NULL, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *kernel, void **args)
{
    struct cudaKernelNodeParams params = {(void *)kernel,
                                          config->gridDim,
                                          config->blockDim,
                                          (unsigned)config->dynamicSmemBytes,
                                          args,
                                          NULL};
    bool cooperative = false;
    unsigned cluster[3] = {1, 1, 1};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id == cudaLaunchAttributeCooperative)
            cooperative = a->val.cooperative != 0;
        else if (a->id == cudaLaunchAttributeClusterDimension)
            memcpy(cluster, &a->val.clusterDim, sizeof cluster);
    }
    return launch_by_address(&params, cooperative, cluster, config->stream);
}
