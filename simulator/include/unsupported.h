/**
 * @file unsupported.h
 * @brief Names of CUDA that the simulator refuses, each with the reason.
 *
 * A program that uses one does not build; simcc shows the place and the
 * reason in one line. Headers that do not exist here (CUB, Thrust, cuBLAS ...)
 * are named by simcc itself.
 */
#ifndef UNSUPPORTED_H
#define UNSUPPORTED_H

#if defined(__has_attribute) && __has_attribute(unavailable)
#define SIM_REFUSED(reason) __attribute__((unavailable("simulator: " reason)))
#else
#define SIM_REFUSED(reason) __attribute__((error("simulator: " reason)))
#endif

#define SIM_REFUSE(name, reason)                                               \
    template <class... Args>                                                   \
    SIM_REFUSED(reason)                                                        \
    int name(Args...);
#define SIM_REFUSE_TYPED(name, reason)                                         \
    template <class T, class... Args>                                          \
    SIM_REFUSED(reason)                                                        \
    T name(Args...);

SIM_REFUSE_TYPED(tex3D, "textures of three dimensions are not supported")
SIM_REFUSE_TYPED(tex2DLayered, "textures with layers are not supported")
SIM_REFUSE_TYPED(tex2DLod, "mipmaps are not supported")
SIM_REFUSE_TYPED(surf2Dread, "surfaces are not supported")
SIM_REFUSE(surf2Dwrite, "surfaces are not supported")
SIM_REFUSE(cudaCreateSurfaceObject, "surfaces are not supported")
SIM_REFUSE(cudaMalloc3DArray, "arrays of three dimensions are not supported")
SIM_REFUSE(cudaBindTexture, "texture references are not supported")
SIM_REFUSE(cudaIpcGetMemHandle, "memory of other processes is not supported")

typedef unsigned long long
    cudaSurfaceObject_t SIM_REFUSED("surfaces are not supported");

#undef SIM_REFUSE
#undef SIM_REFUSE_TYPED

#endif
