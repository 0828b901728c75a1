/**
 * @file device_launch.h
 * @brief What frontend.py makes of `kernel<<<grid, block>>>(x, n)`:
 *
 *     ::sim::launch("kernel", ::sim::config(grid, block),
 *                   [=](auto... sim_args)
 *                       SIM_LAMBDA -> decltype(kernel(sim_args...)) {
 *                           kernel(sim_args...);
 *                       })(x, n)
 *
 * The inner lambda only spells the call, so that templates are deduced and
 * overloads chosen as in the reader's source. A 0 becomes ::sim::zero(), and
 * where an argument is in braces the kernel itself follows the lambda. The
 * arguments are evaluated once, by the host, and copied into `thread`; the
 * runtime copies that and runs it once for each thread of the grid.
 */
#ifndef DEVICE_LAUNCH_H
#define DEVICE_LAUNCH_H

#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "sim.h"

#ifdef __CUDA__ /* see sim_rules.h: clang knows launches itself */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                     size_t dynamic_bytes = 0,
                                     cudaStream_t stream = 0);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t dynamic_bytes = 0,
                              cudaStream_t stream = 0);
template <class T>
cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args,
                             size_t dynamic_bytes = 0, cudaStream_t stream = 0);
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block,
                                        void **args, size_t dynamic_bytes = 0,
                                        cudaStream_t stream = 0);
template <class T, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, T *kernel,
                               Args &&...args);

#else

#define SIM_LAMBDA __attribute__((always_inline))

namespace sim
{

/** What stands between `<<<` and `>>>`. */
struct config {
    dim3 grid;
    dim3 block;
    size_t dynamic_bytes;
    cudaStream_t stream;

    config(dim3 grid, dim3 block, size_t dynamic_bytes = 0,
           cudaStream_t stream = 0)
        : grid(grid), block(block), dynamic_bytes(dynamic_bytes), stream(stream)
    {
    }
};

/** Calls the kernel; lower.py reads here which one it is. */
template <class Thread>
__attribute__((noinline, SIM_ANNOTATE("sim_run"))) void run(void *thread)
{
    SIM_ENTER_KERNEL();
    (*static_cast<const Thread *>(thread))();
}

/** The literal 0: a number, or a pointer where the kernel takes one. */
struct zero {
    constexpr operator int() const
    {
        return 0;
    }
    template <class T>
    constexpr operator T *() const
    {
        return nullptr;
    }
};

template <class T>
using as_number = std::conditional_t<std::is_same_v<T, zero>, int, T>;

/** Bytes of parameters, each at a multiple of its alignment. */
template <class... Args>
constexpr size_t parameter_bytes()
{
    size_t end = 0;
    ((end = (end + alignof(Args) - 1) / alignof(Args) * alignof(Args) +
            sizeof(Args)),
     ...);
    return end;
}

/** A launch that waits for its arguments. */
template <class Kernel>
struct launcher {
    const char *expression;
    config where;
    Kernel kernel;
    const char *file;
    int line;

    template <class... Args>
    void operator()(Args... args) const
    {
        if constexpr (std::is_invocable_v<const Kernel &, as_number<Args>...>)
            start(as_number<Args>(args)...);
        else
            start(args...);
    }

    template <class... Args>
    void start(Args... args) const
    {
        static_assert(parameter_bytes<Args...>() <= 32764,
                      "CUDA: a kernel takes 32764 bytes of parameters");
        auto thread = [kernel = kernel, args...]()
                          SIM_LAMBDA { kernel(args...); };
        const unsigned grid[3] = {where.grid.x, where.grid.y, where.grid.z};
        const unsigned block[3] = {where.block.x, where.block.y, where.block.z};
        sim_launch(grid, block, where.dynamic_bytes,
                   where.stream ? where.stream : SIM_DEFAULT_STREAM,
                   run<decltype(thread)>, &thread, sizeof thread, expression,
                   file, line);
    }
};

template <class Kernel>
launcher<Kernel> launch(const char *expression, config where, Kernel kernel,
                        SIM_PLACE)
{
    return {expression, where, kernel, SIM_AT};
}

/** A launch whose arguments take the types of the kernel's parameters. */
template <class Kernel, class... P>
struct typed_launcher {
    launcher<Kernel> untyped;

    void operator()(P... args) const
    {
        untyped.start(args...);
    }
};

template <class Kernel, class... P>
typed_launcher<Kernel, P...> launch(const char *expression, config where,
                                    Kernel kernel, void (*)(P...), SIM_PLACE)
{
    return {{expression, where, kernel, SIM_AT}};
}

/* ---- kernels behind their addresses -------------------------------------- */

/** A kernel and its arguments, when only the kernel's address was given. */
template <class... P>
struct packed {
    void (*kernel)(P...);
    std::tuple<std::remove_cv_t<P>...> args;
};

template <class... P>
__attribute__((noinline)) void run_packed(void *thread)
{
    SIM_ENTER_KERNEL();
    auto *t = static_cast<packed<P...> *>(thread);
    std::apply(t->kernel, t->args);
}

template <class... P, size_t... I>
void fill_packed(packed<P...> *to, const void *kernel, void **args,
                 std::index_sequence<I...>)
{
    new (to) packed<P...>{
        (void (*)(P...))kernel,
        {*static_cast<std::remove_cv_t<P> *>(args[I])...},
    };
}

/** A sim_pack_fn for kernels with these parameters. */
template <class... P>
size_t pack(const void *kernel, void **args, void *to, void (**run)(void *))
{
    *run = run_packed<P...>;
    if (to)
        fill_packed(static_cast<packed<P...> *>(to), kernel, args,
                    std::index_sequence_for<P...>());
    return sizeof(packed<P...>);
}

/** The address of a kernel, whose parameters the runtime now knows.
 *  frontend.py puts it where a kernel is cast to void *. */
template <class... P>
void *address(void (*kernel)(P...))
{
    sim_kernel_pack((const void *)kernel, pack<P...>);
    return (void *)kernel;
}

} // namespace sim

template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                    void **args, size_t dynamic_bytes = 0,
                                    cudaStream_t stream = 0, SIM_PLACE)
{
    sim_launch_place(SIM_AT);
    return cudaLaunchKernel(sim::address(kernel), grid, block, args,
                            dynamic_bytes, stream);
}

template <class... P>
inline cudaError_t
cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                            void **args, size_t dynamic_bytes = 0,
                            cudaStream_t stream = 0, SIM_PLACE)
{
    sim_launch_place(SIM_AT);
    return cudaLaunchCooperativeKernel(sim::address(kernel), grid, block, args,
                                       dynamic_bytes, stream);
}

namespace sim
{
/** Notes the line of a launch whose arguments leave no place for it. */
struct launch_config {
    const cudaLaunchConfig_t *config;

    launch_config(const cudaLaunchConfig_t *config, SIM_PLACE) : config(config)
    {
        sim_launch_place(SIM_AT);
    }
};
} // namespace sim

/** A launch with attributes. */
template <class... P, class... Args>
inline cudaError_t cudaLaunchKernelEx(sim::launch_config with,
                                      void (*kernel)(P...), Args &&...args)
{
    return [&](P... value) {
        void *behind[] = {(void *)&value..., nullptr};
        return cudaLaunchKernelExC(with.config, sim::address(kernel), behind);
    }(static_cast<Args &&>(args)...);
}

#endif /* __CUDA__ */

#endif
