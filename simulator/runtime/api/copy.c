/**
 * @file copy.c
 * @brief cudaMalloc, cudaMemcpy, cudaMemset and their relatives.
 *
 * A copy checks what a driver checks: that what is called device memory is a
 * buffer, that it is large enough, and that what is called host memory is not
 * device memory.
 */
#include "api.h"

#define PITCH 512 /**< cudaMallocPitch rounds rows up to this (bytes) */

/* ---- allocation ---------------------------------------------------------- */

static cudaError_t allocate(void **pointer, size_t bytes, sim_buffer_kind kind,
                            const char *file, int line)
{
    RETURN_IF(!pointer, cudaErrorInvalidValue);
    if (sim_sticky())
        return sim_sticky();
    *pointer = NULL;
    if (!bytes)
        return sim_return(kind == BUFFER_MANAGED ? cudaErrorInvalidValue
                                                 : cudaSuccess);
    *pointer = sim_allocate(bytes, kind, file, line);
    if (*pointer)
        return sim_return(cudaSuccess);
    size_t total, left;
    sim_memory_limits(&total, &left);
    return sim_refuse(
        cudaErrorMemoryAllocation,
        sim_format("%zu bytes are asked for, %zu are left", bytes, left));
}

cudaError_t sim_malloc(void **pointer, size_t bytes, const char *file, int line)
{
    return allocate(pointer, bytes, BUFFER_DEVICE, file, line);
}

cudaError_t sim_malloc_managed(void **pointer, size_t bytes, const char *file,
                               int line)
{
    return allocate(pointer, bytes, BUFFER_MANAGED, file, line);
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    return sim_malloc_managed(pointer, bytes, NULL, 0);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return allocate(pointer, bytes, BUFFER_HOST, NULL, 0);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    return allocate(pointer, bytes, BUFFER_HOST, NULL, 0);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height)
{
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    RETURN_IF(height && *pitch > SIZE_MAX / height, cudaErrorMemoryAllocation);
    return allocate(pointer, *pitch * height, BUFFER_DEVICE, NULL, 0);
}

cudaError_t cudaFreeHost(void *pointer)
{
    sim_queue_wait();
    sim_pinned_check(NULL); /* it waits for all */
    bool ok = !pointer || sim_release(pointer, true);
    return sim_return(ok ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                     unsigned int flags)
{
    (void)flags;
    sim_allocation b;
    bool found = sim_find(host, &b) && b.kind != BUFFER_DEVICE;
    RETURN_IF(!found && !sim_is_registered(host), cudaErrorInvalidValue);
    *device = host;
    return sim_return(cudaSuccess);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    (void)flags;
    RETURN_IF(!pointer || !bytes, cudaErrorInvalidValue);
    return sim_return(sim_register_host(pointer, bytes)
                          ? cudaSuccess
                          : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    sim_pinned_check(NULL);
    return sim_return(sim_unregister_host(pointer)
                          ? cudaSuccess
                          : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    sim_memory_limits(total, left);
    return sim_return(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer)
{
    sim_allocation b;
    memset(attributes, 0, sizeof *attributes);
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = (void *)pointer;
    if (sim_find(pointer, &b)) {
        attributes->device = 0;
        attributes->devicePointer = (void *)pointer;
        attributes->type = b.kind == BUFFER_DEVICE    ? cudaMemoryTypeDevice
                           : b.kind == BUFFER_MANAGED ? cudaMemoryTypeManaged
                                                      : cudaMemoryTypeHost;
        if (b.kind == BUFFER_DEVICE)
            attributes->hostPointer = NULL;
    }
    if (sim_is_registered(pointer)) {
        attributes->device = 0;
        attributes->devicePointer = (void *)pointer;
        attributes->type = cudaMemoryTypeHost;
    }
    return sim_return(cudaSuccess);
}

/* ---- checks -------------------------------------------------------------- */

/** Is it in a variable of the device? In plain mode, of the program. */
static bool is_symbol(const void *p)
{
    return sim_counting() ? sim_is_variable((uintptr_t)p)
                          : (uintptr_t)p - sim_image < sim_image_bytes;
}

bool sim_is_device(const void *pointer, size_t bytes)
{
    sim_allocation b;
    if (is_symbol(pointer) || sim_is_registered(pointer))
        return true;
    return sim_find(pointer, &b) &&
           bytes <= b.start + b.size - (uintptr_t)pointer;
}

/** May the host use it? Buffers of cudaMalloc it may not. */
static bool is_host(const void *pointer, size_t bytes)
{
    sim_allocation b;
    if (!pointer)
        return false;
    if (!in_arena((uintptr_t)pointer))
        return true;
    return sim_find(pointer, &b) && b.kind != BUFFER_DEVICE &&
           bytes <= b.start + b.size - (uintptr_t)pointer;
}

/** What is wrong with an end of a copy, which should be the device's, or the
 *  host's. */
static const char *why_not(const char *end, const void *p, size_t bytes,
                           bool device)
{
    sim_allocation b;
    if (!p)
        return sim_format("the %s is a null pointer", end);
    if (!sim_find(p, &b))
        return in_arena((uintptr_t)p)
                   ? sim_format("the %s is in no buffer: %s", end,
                                sim_where_global((uintptr_t)p, 1))
                   : sim_format("the %s is memory of the host", end);
    size_t left = b.start + b.size - (uintptr_t)p;
    if (left < bytes)
        return sim_format("%zu bytes, and of the %s, %s, there are %zu", bytes,
                          end, sim_name_global((uintptr_t)p, 1), left);
    return sim_format("the %s, %s, is memory of the %s", end,
                      sim_name_global((uintptr_t)p, 1),
                      device ? "host" : "device");
}

static _Thread_local bool by_symbol; /* the copy that begins */

/** Is this the name of a variable of the device, which on the host is an
 *  address of the host? */
static bool is_plain_name(const void *p)
{
    const sim_variable_info *v = sim_variable_at((uintptr_t)p);
    if (!v || v->managed || v->asked)
        return false;
    sim_finding("symbol-address", sim_caller(),
                "%s is a variable of the device\nin host code its name is an "
                "address of the host; cudaMemcpyToSymbol, cudaMemcpyFromSymbol "
                "and cudaGetSymbolAddress know the device's",
                v->array.name);
    return true;
}

/** Is @p kind a direction that fits the pointers? */
static cudaError_t check_copy(const void *to, size_t to_bytes, const void *from,
                              size_t from_bytes, enum cudaMemcpyKind kind)
{
    static const char *const directions[] = {"HostToHost", "HostToDevice",
                                             "DeviceToHost", "DeviceToDevice",
                                             "Default"};
    sim_memory_open();
    bool named = by_symbol;
    by_symbol = false;
    if (!named && (is_plain_name(to) || is_plain_name(from)))
        return sim_refuse(cudaErrorInvalidValue, NULL);
    bool to_host = is_host(to, to_bytes), from_host = is_host(from, from_bytes);
    bool to_device = sim_is_device(to, to_bytes);
    bool from_device = sim_is_device(from, from_bytes);
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    /* A direction's bits: 1 is to the device, 2 from it. */
    bool any = kind == cudaMemcpyDefault;
    bool to_fits = any ? to_host || to_device : kind & 1 ? to_device : to_host;
    bool from_fits = any        ? from_host || from_device
                     : kind & 2 ? from_device
                                : from_host;
    if (to_fits && from_fits)
        return cudaSuccess;
    return sim_refuse(
        cudaErrorInvalidValue,
        sim_format("cudaMemcpy%s: %s", directions[kind],
                   to_fits ? why_not("source", from, from_bytes, kind & 2)
                           : why_not("target", to, to_bytes, kind & 1)));
}

/* ---- copies -------------------------------------------------------------- */

/** A rectangle of bytes to copy or to set. */
struct rectangle {
    char *to;
    size_t to_pitch;
    const char *from; /**< NULL: set */
    size_t from_pitch;
    size_t width;
    size_t height;
    int value; /**< to set */
    bool pageable;
    void *frames[MOST_FRAMES]; /**< who asked for it, if there are streams */
};

/** Note who asks for it. */
static void note_caller(struct rectangle *r)
{
    if (sim_streams)
        sim_caller_note(r->frames);
}

/** "256", or "(16,16,1)". */
static const char *extent_text(const unsigned n[3])
{
    return n[1] * n[2] == 1 ? sim_format("%u", n[0])
                            : sim_format("(%u,%u,%u)", n[0], n[1], n[2]);
}

/** "\nthe threads of add<<<3, 256>>> (line 17) wrote y[0] to y[767]", where the
 *  latest launch alone has written all but the end or the beginning, @p unset
 *  words in a row from @p first on; else "". */
static const char *who_wrote(uintptr_t from, uintptr_t end, uintptr_t first,
                             size_t unset, const sim_place *copy)
{
    uintptr_t stop = first + 4 * unset, other;
    bool tail = stop >= end;
    if (sim_count_uninitialised((void *)first, 4 * unset, &other) != unset ||
        (!tail && first > from))
        return "";
    uintptr_t low = tail ? from : stop, high = tail ? first : end;
    for (uintptr_t a = low; a < high; a = (a | (GRANULE - 1)) + 1)
        if (granule_of(a)->by_many || granule_of(a)->written != sim_now.serial)
            return "";
    return sim_format("\nthe threads of %s<<<%s, %s>>> (%s%d) wrote %s to %s",
                      sim_now.name, extent_text(sim_now.grid),
                      extent_text(sim_now.block),
                      sim_same_text(sim_now.file, copy->file)
                          ? "line "
                          : sim_format("%s:", sim_now.file),
                      sim_now.line, sim_name_global(low, 4),
                      sim_name_global((high - 1) & ~(uintptr_t)3, 4));
}

/** Is a row about to go to the host, and nothing has written it? All of it is
 *  a mistake; a part may be room that the kernel did not need. */
static void check_row(const char *to, const char *from, size_t bytes)
{
    sim_allocation b;
    uintptr_t first;
    if (!sim_counting() || !sim_settings.search || !in_arena((uintptr_t)from) ||
        (in_arena((uintptr_t)to) && sim_find(to, &b) && b.kind != BUFFER_HOST))
        return;
    size_t words = ((uintptr_t)from % 4 + bytes + 3) / 4;
    size_t unset = sim_count_uninitialised(from, bytes, &first);
    if (unset == words)
        sim_finding(
            "uninitialised-global", sim_caller(),
            "copy of %s to the host\nnothing has written any of its %zu bytes",
            sim_name_global((uintptr_t)from, 4), bytes);
    else if (first) {
        sim_place copy = sim_caller();
        sim_finding("uninitialised-copy-note", copy,
                    "copy of %s to the host\nnothing has written %zu of its "
                    "%zu bytes: the first is %s%s",
                    sim_name_global((uintptr_t)from, 4), 4 * unset, bytes,
                    sim_name_global(first, 4),
                    who_wrote((uintptr_t)from & ~(uintptr_t)3,
                              (uintptr_t)from + bytes, first, unset, &copy));
    }
}

/** May kernels use these bytes: a buffer, a variable, registered memory? */
static bool is_for_kernels(uintptr_t start, size_t bytes)
{
    return in_arena(start) || (sim_outer(start) != OUTER_HOST &&
                               sim_outer(start + bytes - 1) != OUTER_HOST);
}

void sim_moved(const void *p, size_t bytes, bool write)
{
    RAISE(copied, (uintptr_t)p, bytes, write);
    if (sim_streams && bytes && is_for_kernels((uintptr_t)p, bytes))
        RAISE(moved, (uintptr_t)p, bytes, write);
}

/** Is it memory of the host that a GPU copies by itself? */
static bool is_pinned(const void *p)
{
    sim_allocation b;
    return sim_is_registered(p) || (sim_find(p, &b) && b.kind == BUFFER_HOST);
}

static cudaError_t move(void *data)
{
    const struct rectangle *r = data;
    sim_memory_enter();
    if (sim_streams)
        sim_copy_begins(r->pageable ? "a copy from pageable memory" : "a copy",
                        r->frames);
    for (size_t row = 0; row < r->height; row++) {
        char *to = r->to + row * r->to_pitch;
        sim_moved(to, r->width, true);
        if (is_pinned(to)) /* perhaps what others are copied from */
            sim_pinned_check_at(to, r->width);
        if (r->from) {
            const char *from = r->from + row * r->from_pitch;
            sim_moved(from, r->width, false);
            check_row(to, from, r->width);
            memmove(to, from, r->width);
            sim_copy_marks(to, from, r->width);
        } else {
            memset(to, r->value, r->width);
            sim_mark_initialised(to, r->width);
        }
    }
    sim_memory_leave(false, r->width * r->height / 1024);
    return cudaSuccess;
}

/** Bytes from the first to the last of a rectangle. */
static size_t extent(size_t pitch, size_t width, size_t height)
{
    return pitch * (height - 1) + width;
}

/** Is this memory of malloc(), or a variable of the host? */
static bool is_pageable(const void *p)
{
    sim_allocation b;
    return !sim_find(p, &b) && !sim_is_registered(p) &&
           !sim_is_variable((uintptr_t)p);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RETURN_IF(sim_sticky() || !width || !height, cudaSuccess);
    RETURN_IF(to_pitch < width || from_pitch < width,
              cudaErrorInvalidPitchValue);
    cudaError_t error = check_copy(to, extent(to_pitch, width, height), from,
                                   extent(from_pitch, width, height), kind);
    if (error)
        return error;
    if (!sim_queue_is_empty() && (is_pageable(to) || is_pageable(from)))
        sim_queue_wait(); /* only pinned memory is copied later */
    struct rectangle r = {to,    to_pitch, from, from_pitch,
                          width, height,   0,    is_pageable(from)};
    note_caller(&r);
    bool now = sim_queue_is_empty() && !sim_capture_of(stream);
    error = sim_enqueue(stream, cudaGraphNodeTypeMemcpy, move, &r, sizeof r);
    if (!error && now) {
        unsigned index;
        uint32_t number = sim_stream_work(stream, &index);
        if (is_pinned(from))
            sim_pinned_copy(
                &(sim_rows){from, from_pitch, width, height, index, number},
                ROWS_LEAVE);
        if (is_pinned(to))
            sim_pinned_copy(
                &(sim_rows){to, to_pitch, width, height, index, number},
                ROWS_ARRIVE);
    }
    return sim_return(error);
}

/** A copy of a function without Async has begun: the host waits for its end,
 *  unless it is one between buffers of the device, or one from pageable memory,
 *  of which the driver has made a copy of its own. */
static cudaError_t wait_for_copy(cudaError_t error, const void *to,
                                 const void *from)
{
    bool to_host = is_host(to, 1) && !sim_is_variable((uintptr_t)to);
    bool from_host = is_host(from, 1) && !sim_is_variable((uintptr_t)from);
    if (!error && (to_host || (from_host && !is_pageable(from))))
        sim_host_waits_for(NULL);
    return error;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                         size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    cudaError_t error = sim_may_wait(NULL, false);
    RETURN_IF(error, error);
    return wait_for_copy(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch,
                                           width, height, kind, NULL),
                         to, from);
}

static _Thread_local size_t rooms[2] = {SIZE_MAX, SIZE_MAX}; /* to, from */

void sim_room(size_t to, size_t from)
{
    rooms[0] = to;
    rooms[1] = from;
}

/** A copy that leaves an array of the host: a GPU would go on in whatever lies
 *  behind it. @return the bytes that there are, at most @p bytes */
static size_t keep_room(const void *to, const void *from, size_t bytes)
{
    for (int i = 0; i < 2; i++) {
        size_t room = rooms[i];
        rooms[i] = SIZE_MAX;
        if (room >= bytes || in_arena((uintptr_t)(i ? from : to)))
            continue;
        const void *other = i ? to : from;
        if (in_arena((uintptr_t)other) && !sim_is_device(other, bytes))
            continue; /* refused, since the device's end is too small, too */
        sim_finding("host-overrun", sim_caller(),
                    "%zu bytes are copied %s an array of the host that has %zu"
                    "\nhere only these are copied",
                    bytes, i ? "from" : "to", room);
        bytes = room;
    }
    return bytes;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    bytes = keep_room(to, from, bytes);
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind)
{
    bytes = keep_room(to, from, bytes);
    return cudaMemcpy2D(to, bytes, from, bytes, bytes, 1, kind);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value,
                              size_t width, size_t height, cudaStream_t stream)
{
    RETURN_IF(sim_sticky() || !width || !height, cudaSuccess);
    RETURN_IF(pitch < width, cudaErrorInvalidPitchValue);
    size_t bytes = extent(pitch, width, height);
    if (is_plain_name(pointer))
        return sim_refuse(cudaErrorInvalidValue, NULL);
    if (!sim_is_device(pointer, bytes))
        return sim_refuse(cudaErrorInvalidValue,
                          why_not("target", pointer, bytes, true));
    struct rectangle r = {pointer, pitch, NULL, 0, width, height, value};
    note_caller(&r);
    return sim_return(
        sim_enqueue(stream, cudaGraphNodeTypeMemset, move, &r, sizeof r));
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width,
                         size_t height)
{
    return cudaMemset2DAsync(pointer, pitch, value, width, height, NULL);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes,
                            cudaStream_t stream)
{
    return cudaMemset2DAsync(pointer, bytes, value, bytes, 1, stream);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return cudaMemsetAsync(pointer, value, bytes, NULL);
}

/* ---- between devices, of which there is one ------------------------------ */

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                int from_device, size_t bytes,
                                cudaStream_t stream)
{
    RETURN_IF(to_device || from_device, cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from,
                           int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

/* ---- boxes --------------------------------------------------------------- */

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent box)
{
    void *pointer = NULL;
    size_t pitch = 0;
    RETURN_IF(box.height && box.depth > SIZE_MAX / box.height,
              cudaErrorMemoryAllocation);
    cudaError_t error =
        cudaMallocPitch(&pointer, &pitch, box.width, box.height * box.depth);
    *memory = (struct cudaPitchedPtr){pointer, pitch, box.width, box.height};
    return error;
}

/** Where layer @p layer of a box begins. */
static char *layer_of(const struct cudaPitchedPtr *p, struct cudaPos at,
                      size_t layer)
{
    return (char *)p->ptr + ((at.z + layer) * p->ysize + at.y) * p->pitch +
           at.x;
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy,
                              cudaStream_t stream)
{
    RETURN_IF(copy->srcArray || copy->dstArray, cudaErrorNotSupported);
    for (size_t z = 0; z < copy->extent.depth; z++) {
        cudaError_t error = cudaMemcpy2DAsync(
            layer_of(&copy->dstPtr, copy->dstPos, z), copy->dstPtr.pitch,
            layer_of(&copy->srcPtr, copy->srcPos, z), copy->srcPtr.pitch,
            copy->extent.width, copy->extent.height, copy->kind, stream);
        if (error)
            return error;
    }
    return sim_return(cudaSuccess);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    cudaError_t error = sim_may_wait(NULL, false);
    RETURN_IF(error, error);
    return wait_for_copy(cudaMemcpy3DAsync(copy, NULL), copy->dstPtr.ptr,
                         copy->srcPtr.ptr);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value,
                              struct cudaExtent box, cudaStream_t stream)
{
    struct cudaPos corner = {0, 0, 0};
    for (size_t z = 0; z < box.depth; z++) {
        cudaError_t error =
            cudaMemset2DAsync(layer_of(&memory, corner, z), memory.pitch, value,
                              box.width, box.height, stream);
        if (error)
            return error;
    }
    return sim_return(cudaSuccess);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value,
                         struct cudaExtent box)
{
    return cudaMemset3DAsync(memory, value, box, NULL);
}

/* ---- hints for managed memory -------------------------------------------- */

/** Is this managed memory, and a place that there is? */
static cudaError_t check_hint(const void *pointer, size_t bytes,
                              struct cudaMemLocation location)
{
    sim_allocation b;
    RETURN_IF(!bytes || !sim_find(pointer, &b) || b.kind == BUFFER_DEVICE ||
                  bytes > b.start + b.size - (uintptr_t)pointer,
              cudaErrorInvalidValue);
    return sim_return(location.type == cudaMemLocationTypeDevice && location.id
                          ? cudaErrorInvalidDevice
                          : cudaSuccess);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                 struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    (void)flags;
    (void)stream;
    return check_hint(pointer, bytes, location);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
                          enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    RETURN_IF(advice < cudaMemAdviseSetReadMostly ||
                  advice > cudaMemAdviseUnsetAccessedBy,
              cudaErrorInvalidValue);
    return check_hint(pointer, bytes, location);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer,
                                     size_t bytes, unsigned int flags)
{
    sim_allocation b;
    (void)stream;
    (void)bytes;
    (void)flags;
    bool ok = sim_find(pointer, &b) && b.kind == BUFFER_MANAGED;
    return sim_return(ok ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- symbols: variables of the program ----------------------------------- */

static _Thread_local size_t symbol_bytes; /* of the next copy's; 0: unknown */

void sim_symbol(size_t bytes)
{
    symbol_bytes = bytes;
}

/** The address of some bytes of a symbol. */
static cudaError_t find_symbol(void **pointer, const void *symbol, size_t bytes,
                               size_t offset)
{
    size_t size = symbol_bytes;
    symbol_bytes = 0;
    sim_memory_open();
    bool fixed = (uintptr_t)symbol - sim_image < sim_image_bytes &&
                 sim_outer((uintptr_t)symbol) == OUTER_DEVICE;
    if (!is_symbol(symbol)) {
        const char *why =
            "its argument is no __device__ or __constant__ variable; the name "
            "of one as a string is none since CUDA 5: coef, not \"coef\"";
        if (fixed) /* a string */
            sim_finding("symbol-address", sim_caller(),
                        "a string is no symbol\n%s", why);
        return sim_refuse(cudaErrorInvalidSymbol, fixed ? NULL : why);
    }
    if (size && (offset > size || bytes > size - offset))
        return sim_refuse(
            cudaErrorInvalidValue,
            sim_format("%zu bytes from byte %zu on, and the variable has %zu",
                       bytes, offset, size));
    *pointer = (char *)symbol + offset;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    RETURN_IF(!pointer, cudaErrorInvalidValue);
    cudaError_t error = find_symbol(pointer, symbol, 0, 0);
    sim_variable_info *v = sim_variable_at((uintptr_t)symbol);
    if (v)
        v->asked = true;
    return error ? error : sim_return(cudaSuccess);
}

/** A copy to a symbol begins, or from one. */
static cudaError_t begin_by_symbol(void **pointer, const void *symbol,
                                   size_t bytes, size_t offset)
{
    cudaError_t error = find_symbol(pointer, symbol, bytes, offset);
    by_symbol = !error;
    return error;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t stream)
{
    void *to;
    cudaError_t error = begin_by_symbol(&to, symbol, bytes, offset);
    return error ? error : cudaMemcpyAsync(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                      size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream)
{
    void *from;
    cudaError_t error = begin_by_symbol(&from, symbol, bytes, offset);
    return error ? error : cudaMemcpyAsync(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    void *to;
    cudaError_t error = begin_by_symbol(&to, symbol, bytes, offset);
    return error ? error : cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    void *from;
    cudaError_t error = begin_by_symbol(&from, symbol, bytes, offset);
    return error ? error : cudaMemcpy(to, from, bytes, kind);
}
