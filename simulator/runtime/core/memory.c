/**
 * @file memory.c
 * @brief The arena, its buffers, and which bytes have ever been written.
 *
 * Fresh device memory holds whatever was there; here it holds 0xFF bytes, a
 * NaN in every float. Small buffers are filled. Large ones are mapped, piece
 * by piece, onto one file in memory that holds 0xFF: a page gets a copy of its
 * own when it is written, so a large buffer costs what is used of it.
 */
#define _GNU_SOURCE
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inside.h"

#define ARENA_ALIGNMENT ((size_t)4 << 30)  /**< see core.h */
#define BUFFER_ALIGNMENT ((size_t)2 << 20) /**< see core.h */
#define FAR (17 * ARENA_ALIGNMENT)         /**< see go_far() */
#define FILL_PIECE ((size_t)16 << 20)      /**< size of the file of 0xFF */
#define MARKED ((size_t)64) /**< bytes, whose bits are in one mark */
#define MAX_REGISTERED 64   /**< pieces of host memory */
#define REMEMBERED 64       /**< freed buffers kept for reports */

bool sim_any_pinned;
uintptr_t sim_arena;
sim_granule *sim_granules;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sim_allocation *buffers; /* live ones, sorted by start */
static size_t buffer_count, buffer_capacity;
static sim_allocation freed[REMEMBERED]; /* a ring */
static unsigned freed_next;
static uintptr_t frontier;         /* the arena is unused from here on */
static size_t capacity, allocated; /* bytes */
static bool by_use;                /* see sim_memory_by_use() */
static _Atomic uint64_t *marks;    /* one bit per byte of the arena: written */
static int fill_file = -1;

/** Memory outside the arena that kernels may use. */
typedef struct {
    uintptr_t low;
    size_t bytes;
    sim_granule *granules;
} region;

static region image;                      /* the whole program */
static uintptr_t writable, writable_end;  /* its variables */
static region registered[MAX_REGISTERED]; /* host memory */
static size_t registered_count;

/** The section that lower.py puts a kind of variable into, if there is any. */
extern const char __start_sim_constant[] __attribute__((weak));
extern const char __stop_sim_constant[] __attribute__((weak));
extern const char __start_sim_device[] __attribute__((weak));
extern const char __stop_sim_device[] __attribute__((weak));
extern const char __start_sim_managed[] __attribute__((weak));
extern const char __stop_sim_managed[] __attribute__((weak));

/* ---- what the host may touch --------------------------------------------- */

/*
 * Device memory is there only while a launch or a copy runs: then users hold
 * it open. At other times its pages are not accessible, and crash.c says who
 * tried. Managed memory that a launch may use is closed from then to the next
 * synchronisation: variables, buffers that its parameters point into, and those
 * that it has written.
 *
 * Closing and opening takes about 2 ms for 100 MB, far more than a short
 * launch: a program with thousands of them would do nothing else. So it is paid
 * from an account. A thread that runs takes 0.2 us at least, and a KiB that is
 * copied, or closed, 0.02 us; so where both are worth one, closing takes about
 * a tenth of the time. Where the account is empty memory stays open until it
 * has been filled again. All of this is counted and not timed: what is found
 * does not depend on luck.
 */
#define FIRST_KIB (4 << 20) /**< to begin with: 4 GiB */
#define BUFFER_KIB 64 /**< of a buffer, whatever its size: a system call */
static int64_t account = FIRST_KIB;
static bool closed = true; /* what no launch and no copy uses */
static int users;          /* launches and copies that run */
static bool unsettled;     /* a launch since the latest synchronisation */

static bool in_section(uintptr_t a, const char *start, const char *stop)
{
    return a >= (uintptr_t)start && a < (uintptr_t)stop;
}

bool sim_is_variable(uintptr_t a)
{
    return in_section(a, __start_sim_constant, __stop_sim_constant) ||
           in_section(a, __start_sim_device, __stop_sim_device) ||
           sim_is_managed_variable(a);
}

bool sim_is_managed_variable(uintptr_t a)
{
    return in_section(a, __start_sim_managed, __stop_sim_managed);
}

/** The pages of a buffer: where they begin, and their bytes. */
static void *pages_of(const sim_allocation *b, size_t *bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = b->start & ~(page - 1);
    *bytes = (b->start + b->size - start + page - 1) & ~(page - 1);
    return (void *)start;
}

static void protect(const sim_allocation *b, int protection)
{
    size_t bytes;
    void *start = pages_of(b, &bytes);
    mprotect(start, bytes, protection);
}

/** Pages of the variables that lower.py put into a section of their own. */
static void protect_section(const char *start, const char *stop, int protection)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (start && !((uintptr_t)start % page) && !((uintptr_t)stop % page))
        mprotect((void *)start, (size_t)(stop - start), protection);
}

/** How the host finds a buffer of which a launch makes use, or does not; the
 *  lock is held. */
static int protection_of(sim_buffer_kind kind, bool used)
{
    bool forbidden =
        kind == BUFFER_DEVICE || (kind == BUFFER_MANAGED && unsettled && used);
    return forbidden && closed ? PROT_NONE : PROT_READ | PROT_WRITE;
}

/** Variables that lower.py put into sections of their own. */
static void protect_variables(void)
{
    int device = protection_of(BUFFER_DEVICE, true);
    protect_section(__start_sim_constant, __stop_sim_constant, device);
    protect_section(__start_sim_device, __stop_sim_device, device);
    protect_section(__start_sim_managed, __stop_sim_managed,
                    protection_of(BUFFER_MANAGED, true));
}

/** Open or close all that changes with users and unsettled. */
static void protect_all(void)
{
    for (size_t i = 0; i < buffer_count; i++)
        if (buffers[i].kind != BUFFER_HOST)
            protect(&buffers[i],
                    protection_of(buffers[i].kind, buffers[i].used));
    protect_variables();
}

/** What closing and opening costs, in KiB. */
static int64_t price(void)
{
    return (int64_t)(allocated / 1024 + BUFFER_KIB * (buffer_count + 1));
}

void sim_memory_enter(void)
{
    pthread_mutex_lock(&lock);
    if (users++ == 0 && closed) {
        closed = false;
        protect_all();
    }
    pthread_mutex_unlock(&lock);
}

void sim_memory_leave(bool launched, uint64_t work)
{
    pthread_mutex_lock(&lock);
    unsettled |= launched;
    if (account < FIRST_KIB)
        account += (int64_t)(work < FIRST_KIB ? work : FIRST_KIB);
    if (--users == 0 && price() <= account) {
        account -= price();
        closed = true;
        protect_all();
    }
    pthread_mutex_unlock(&lock);
}

bool sim_memory_is_used(void)
{
    pthread_mutex_lock(&lock);
    bool used = users > 0;
    pthread_mutex_unlock(&lock);
    return used;
}

void sim_memory_settle(void)
{
    sim_print_now();
    pthread_mutex_lock(&lock);
    if (unsettled) {
        unsettled = false;
        for (size_t i = 0; i < buffer_count; i++)
            if (buffers[i].kind == BUFFER_MANAGED) {
                buffers[i].used = false;
                protect(&buffers[i], PROT_READ | PROT_WRITE);
            }
        protect_variables();
    }
    pthread_mutex_unlock(&lock);
}

/* ---- set-up -------------------------------------------------------------- */

/** The number after @p key in a file such as /proc/meminfo; 0: not there. */
static size_t number_in_file(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char text[256];
    size_t value = 0;
    while (fgets(text, sizeof text, file))
        if (!strncmp(text, key, strlen(key))) {
            value = strtoull(text + strlen(key), NULL, 10);
            break;
        }
    fclose(file);
    return value;
}

/** Memory that may be used without driving the machine into swapping. */
static size_t available_memory(void)
{
    size_t bytes = number_in_file("/proc/meminfo", "MemAvailable:") * 1024;
    if (!bytes)
        bytes =
            (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 2;
    size_t limit = number_in_file("/sys/fs/cgroup/memory.max", "");
    size_t used = number_in_file("/sys/fs/cgroup/memory.current", "");
    if (limit && limit < used)
        return 0;
    if (limit && limit - used < bytes)
        bytes = limit - used;
    return bytes;
}

/** Note where the program's own segments lie; the first object is it. */
static int note_image(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    uintptr_t low = UINTPTR_MAX, high = 0, fixed_end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_GNU_RELRO)
            fixed_end = info->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_flags & PF_W) {
            writable = start;
            writable_end = start + segment->p_memsz;
        }
        if (start < low)
            low = start;
        if (start + segment->p_memsz > high)
            high = start + segment->p_memsz;
    }
    if (fixed_end > writable) /* constants with addresses in them */
        writable = fixed_end;
    sim_image = low;
    sim_image_base = info->dlpi_addr;
    sim_image_bytes = high - low;
    return 1;
}

/** The next multiple of a power of two. */
static uintptr_t round_up(uintptr_t address, size_t multiple)
{
    return (address + multiple - 1) & ~(multiple - 1);
}

/** A table of granules; they count from the 64 KiB that hold @p low. */
static region make_region(uintptr_t low, size_t bytes)
{
    size_t count = ((low % GRANULE + bytes) >> GRANULE_SHIFT) + 1;
    region r = {low, bytes, sim_new(count * sizeof(sim_granule))};
    for (size_t i = 0; i < count; i++)
        r.granules[i] =
            (sim_granule){.low = low, .bytes = bytes, .initialised = true};
    return r;
}

/** A table of the arena, of which few pages far from each other are used. */
static void *table(size_t bytes)
{
    void *memory = sim_map(bytes);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return memory;
}

/**
 * The next buffer begins far behind @p address, if that is in the first half.
 *
 * 2^32 elements of 16 bytes are less than FAR. It keeps the lower 32 bits as
 * they are; and an address in between is not taken for one of the next buffer
 * whose index has overflowed: names.c looks at most at 16 times 2^32 elements,
 * and no power of two makes 17 of such a number.
 */
static void go_far(uintptr_t address)
{
    bool half = address + FAR < sim_arena + ARENA_BYTES / 2;
    frontier = address + (half ? FAR : 0);
}

static void open_once(void)
{
    uintptr_t start = (uintptr_t)sim_reserve(ARENA_BYTES + ARENA_ALIGNMENT);
    sim_arena = round_up(start, ARENA_ALIGNMENT);
    go_far(sim_arena + GRANULE);
    sim_granules = table((ARENA_BYTES >> GRANULE_SHIFT) * sizeof *sim_granules);
    marks = table(ARENA_BYTES / 8);
    capacity = available_memory() / 8 * 7 / FILL_PIECE * FILL_PIECE;

    dl_iterate_phdr(note_image, NULL);
    image = make_region(sim_image, sim_image_bytes);
    protect_all();
}

void sim_memory_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
}

/** Variables of the device are closed before main() can touch them. */
__attribute__((constructor)) static void close_variables(void)
{
    if (__start_sim_constant || __start_sim_device)
        sim_memory_open();
}

/* ---- buffers ------------------------------------------------------------- */

/** Index of the first buffer that starts behind @p address. */
static size_t first_behind(uintptr_t address)
{
    size_t low = 0, high = buffer_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (buffers[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The buffer that holds an address; NULL: none does. */
static sim_allocation *buffer_at(const void *address)
{
    size_t at = first_behind((uintptr_t)address);
    bool inside = at > 0 && (uintptr_t)address - buffers[at - 1].start <
                                buffers[at - 1].size;
    return inside ? &buffers[at - 1] : NULL;
}

void sim_memory_give(const void *parameters, size_t bytes)
{
    pthread_mutex_lock(&lock);
    for (size_t at = 0; parameters && at + sizeof(void *) <= bytes;
         at += sizeof(void *)) {
        const void *p;
        memcpy(&p, (const char *)parameters + at, sizeof p);
        sim_allocation *b = buffer_at(p);
        if (b)
            b->used = true;
    }
    for (size_t i = 0; i < buffer_count; i++) {
        sim_allocation *b = &buffers[i];
        b->used |= !parameters;
        for (size_t k = 0; b->kind == BUFFER_MANAGED && k < b->size;
             k += GRANULE)
            b->used |= granule_of(b->start + k)->written == sim_now.serial;
    }
    pthread_mutex_unlock(&lock);
}

/** Address space of a buffer: its granules and an empty one. */
static size_t span_of(size_t bytes)
{
    return round_up(bytes, GRANULE) + GRANULE;
}

/**
 * Find room for @p span bytes.
 *
 * Addresses are used anew only when the arena has been used up once, so that a
 * pointer to a freed buffer is noticed.
 */
static uintptr_t find_room(size_t span)
{
    uintptr_t here = round_up(frontier, BUFFER_ALIGNMENT);
    if (here + span <= sim_arena + ARENA_BYTES) {
        go_far(here + span);
        return here;
    }
    here = round_up(sim_arena + GRANULE, BUFFER_ALIGNMENT);
    for (size_t i = 0; i < buffer_count; i++) {
        uintptr_t start = buffers[i].start & ~(GRANULE - 1);
        if (here + span <= start)
            return here;
        here = round_up(start +
                            span_of(buffers[i].start - start + buffers[i].size),
                        BUFFER_ALIGNMENT);
    }
    return here + span <= sim_arena + ARENA_BYTES ? here : 0;
}

/** Map pages of 0xFF that are shared until they are written. */
static bool fill_lazily(uintptr_t start, size_t bytes)
{
    if (fill_file < 0) {
        int file = memfd_create("simulator", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, FILL_PIECE) != 0)
            return false;
        void *piece =
            mmap(NULL, FILL_PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (piece == MAP_FAILED)
            return false;
        memset(piece, 0xff, FILL_PIECE);
        munmap(piece, FILL_PIECE);
        fill_file = file;
    }
    for (size_t done = 0; done < bytes; done += FILL_PIECE) {
        size_t n = bytes - done < FILL_PIECE ? bytes - done : FILL_PIECE;
        if (mmap((void *)(start + done), n, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fill_file,
                 0) == MAP_FAILED)
            return false;
    }
    return true;
}

/**
 * Fill a new buffer, so that results go wrong if it is read first.
 *
 * In pages of 2 MiB, where the system has them, the touch of a page costs
 * hardly more than its bytes. What takes an eighth of the memory that is left
 * is filled only where it is used.
 */
static void fill(uintptr_t start, size_t bytes)
{
    madvise((void *)start, bytes, MADV_HUGEPAGE);
    if (bytes < available_memory() / 8 || !fill_lazily(start, bytes))
        memset((void *)start, 0xff, bytes);
}

/** Set the table entries of the granules that a buffer touches. */
static void set_granules(const sim_allocation *b, bool live, bool initialised)
{
    size_t first = (b->start - sim_arena) >> GRANULE_SHIFT;
    size_t last = (b->start + b->size - 1 - sim_arena) >> GRANULE_SHIFT;
    for (size_t i = first; i <= last; i++)
        sim_granules[i] = (sim_granule){.low = live ? b->start : 0,
                                        .bytes = live ? b->size : 0,
                                        .shadow = sim_granules[i].shadow,
                                        .initialised = initialised};
}

/** The bits of the bytes around an address. */
static _Atomic uint64_t *mark_of(uintptr_t address)
{
    return &marks[(address - sim_arena) / MARKED];
}

/** Clear the marks of a buffer. Their pages are no other's, for it begins 2 MiB
 *  behind the one before; given back to the system they come again as zeros. */
static void clear_marks(uintptr_t start, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)mark_of(start) & ~(page - 1);
    uintptr_t to = (uintptr_t)mark_of(start + bytes + MARKED - 1);
    madvise((void *)from, to - from, MADV_DONTNEED);
}

/** Give back the pages of the table in which nothing is left of a buffer that
 *  was freed, nor of others. */
static void drop_granules(const sim_allocation *b)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t each = page / sizeof(sim_granule);
    size_t first = (b->start - sim_arena) >> GRANULE_SHIFT;
    size_t last = (b->start + b->size - 1 - sim_arena) >> GRANULE_SHIFT;
    for (size_t i = first / each * each; i <= last; i += each) {
        bool used = false;
        for (size_t j = i; j < i + each && !used; j++)
            used = sim_granules[j].bytes || sim_granules[j].shadow;
        if (!used)
            madvise(&sim_granules[i], page, MADV_DONTNEED);
    }
}

/** Bytes that may still be allocated. */
static size_t room(void)
{
    size_t left = allocated < capacity ? capacity - allocated : 0;
    size_t now = available_memory();
    return left < now ? left : now;
}

void sim_memory_by_use(void)
{
    by_use = true;
}

void *sim_allocate(size_t bytes, sim_buffer_kind kind, const char *file,
                   int line)
{
    sim_memory_open();
    pthread_mutex_lock(&lock);
    sim_allocation b = {
        .size = bytes, .kind = kind, .file = file, .line = line, .live = true};
    if ((!by_use && bytes > room()) || !(b.start = find_room(span_of(bytes))))
        goto fail;

    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t mapped = (bytes + page - 1) & ~(page - 1);
    if (mprotect((void *)b.start, mapped, PROT_READ | PROT_WRITE) != 0)
        goto fail;
    if (kind == BUFFER_DEVICE)
        fill(b.start, mapped);

    /* Nobody checks accesses in plain mode, but the page behind the buffer is
     * not mapped: let the buffer end where it begins. */
    if (!sim_counting() && bytes % 256 == 0)
        b.start += mapped - bytes;

    if (buffer_count == buffer_capacity) {
        size_t more = buffer_capacity ? 2 * buffer_capacity : 64;
        buffers = sim_grow(buffers, more * sizeof *buffers);
        buffer_capacity = more;
    }
    size_t at = first_behind(b.start);
    memmove(&buffers[at + 1], &buffers[at],
            (buffer_count - at) * sizeof *buffers);
    b.frames = sim_new(MOST_FRAMES * sizeof *b.frames);
    sim_caller_note(b.frames);
    buffers[at] = b;
    buffer_count++;
    allocated += bytes;
    sim_any_pinned |= kind == BUFFER_HOST;
    set_granules(&b, true, kind != BUFFER_DEVICE);
    if (kind == BUFFER_DEVICE)
        protect(&b, protection_of(kind, false));
    pthread_mutex_unlock(&lock);
    return (void *)b.start;
fail:
    pthread_mutex_unlock(&lock);
    return NULL;
}

/** Remove buffer number @p at; the lock is held. */
static void remove_buffer(size_t at)
{
    sim_allocation b = buffers[at];
    memmove(&buffers[at], &buffers[at + 1],
            (buffer_count - at - 1) * sizeof *buffers);
    buffer_count--;
    allocated -= b.size;
    b.live = false;
    RAISE(freed, b.start, b.size);
    set_granules(&b, false, false);
    drop_granules(&b);
    clear_marks(b.start, b.size);
    free(freed[freed_next % REMEMBERED].frames);
    freed[freed_next++ % REMEMBERED] = b;

    size_t mapped;
    void *start = pages_of(&b, &mapped);
    mmap(start, mapped, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

bool sim_release(void *pointer, bool host)
{
    pthread_mutex_lock(&lock);
    const sim_allocation *b = buffer_at(pointer);
    bool is_start =
        b && b->start == (uintptr_t)pointer && (b->kind == BUFFER_HOST) == host;
    if (is_start)
        remove_buffer((size_t)(b - buffers));
    pthread_mutex_unlock(&lock);
    return is_start;
}

void sim_open(const void *pointer, bool open)
{
    pthread_mutex_lock(&lock);
    sim_allocation *b = buffer_at(pointer);
    if (b) {
        b->live = open;
        set_granules(b, open, false);
        clear_marks(b->start, b->size);
    }
    pthread_mutex_unlock(&lock);
}

bool sim_find(const void *address, sim_allocation *found)
{
    pthread_mutex_lock(&lock);
    const sim_allocation *b = buffer_at(address);
    if (b)
        *found = *b;
    pthread_mutex_unlock(&lock);
    return b;
}

void sim_name_array(const void *pointer, const char *name, size_t element_bytes,
                    int64_t cols, int64_t ld)
{
    pthread_mutex_lock(&lock);
    sim_allocation *b = buffer_at(pointer);
    if (b) {
        b->array =
            (sim_array_name){.start = (uintptr_t)pointer,
                             .element = element_bytes ? element_bytes : 1,
                             .cols = cols,
                             .ld = ld};
        snprintf(b->array.name, sizeof b->array.name, "%s", name);
    }
    pthread_mutex_unlock(&lock);
}

void sim_memory_limits(size_t *total, size_t *left)
{
    sim_memory_open();
    pthread_mutex_lock(&lock);
    *total = capacity;
    *left = room();
    pthread_mutex_unlock(&lock);
}

void sim_memory_reset(void)
{
    pthread_mutex_lock(&lock);
    while (buffer_count)
        remove_buffer(buffer_count - 1);
    pthread_mutex_unlock(&lock);
}

/* ---- memory outside the arena -------------------------------------------- */

static const region *find_registered(uintptr_t address)
{
    for (size_t i = 0; i < registered_count; i++)
        if (address - registered[i].low < registered[i].bytes)
            return &registered[i];
    return NULL;
}

sim_granule *sim_outer_granule(uintptr_t address)
{
    const region *r = find_registered(address);
    if (!r)
        r = &image;
    return &r->granules[(address >> GRANULE_SHIFT) - (r->low >> GRANULE_SHIFT)];
}

uintptr_t sim_outer_position(uintptr_t address)
{
    const region *r = find_registered(address);
    uintptr_t low = r ? r->low : image.low;
    return address - low + low % (uintptr_t)sysconf(_SC_PAGESIZE);
}

sim_outer_kind sim_outer(uintptr_t address)
{
    if (find_registered(address))
        return OUTER_DEVICE;
    if (address - image.low >= image.bytes)
        return OUTER_HOST;
    if (in_section(address, __start_sim_constant, __stop_sim_constant))
        return OUTER_CONSTANT;
    if (sim_is_variable(address))
        return OUTER_DEVICE;
    return address >= writable && address < writable_end ? OUTER_HOST
                                                         : OUTER_DEVICE;
}

bool sim_register_host(const void *pointer, size_t bytes)
{
    uintptr_t low = (uintptr_t)pointer;
    sim_memory_open();
    if (registered_count == MAX_REGISTERED)
        return false;
    for (size_t i = 0; i < registered_count; i++)
        if (low < registered[i].low + registered[i].bytes &&
            registered[i].low < low + bytes)
            return false;
    registered[registered_count++] = make_region(low, bytes);
    return true;
}

bool sim_unregister_host(const void *pointer)
{
    for (size_t i = 0; i < registered_count; i++)
        if (registered[i].low == (uintptr_t)pointer) {
            free(registered[i].granules);
            registered[i] = registered[--registered_count];
            return true;
        }
    return false;
}

bool sim_is_registered(const void *pointer)
{
    return find_registered((uintptr_t)pointer) != NULL;
}

bool sim_is_for_both(uintptr_t address)
{
    sim_allocation b;
    if (sim_find((void *)address, &b))
        return b.kind != BUFFER_DEVICE;
    return find_registered(address) || sim_is_managed_variable(address);
}

/* ---- reports ------------------------------------------------------------- */

/** Bytes between @p address and the nearer end of a buffer; 0: inside. */
static size_t distance(const sim_allocation *b, uintptr_t address)
{
    if (address < b->start)
        return b->start - address;
    return address - b->start < b->size ? 0 : address - b->start - b->size + 1;
}

bool sim_nearest(uintptr_t address, sim_allocation *nearest)
{
    const sim_allocation *best = NULL;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < REMEMBERED; i++)
        if (freed[i].size && distance(&freed[i], address) == 0)
            best = &freed[i];
    size_t at = first_behind(address);
    for (size_t i = at ? at - 1 : 0; i <= at && i < buffer_count; i++)
        if (!best || (best->live &&
                      distance(&buffers[i], address) < distance(best, address)))
            best = &buffers[i];
    if (best)
        *nearest = *best;
    pthread_mutex_unlock(&lock);
    return best;
}

unsigned sim_count_before(const sim_allocation *b, sim_alike_fn alike)
{
    unsigned count = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < buffer_count && buffers[i].start < b->start; i++)
        count += alike(&buffers[i], b);
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- which bytes were written -------------------------------------------- */

/** As many ones. */
static uint64_t ones(size_t bits)
{
    return bits >= MARKED ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

/** How many of @p bytes have their bits in the same mark as the first? */
static size_t in_mark(uintptr_t address, size_t bytes)
{
    size_t left = MARKED - address % MARKED;
    return bytes < left ? bytes : left;
}

uint64_t sim_written(uintptr_t address, size_t bytes)
{
    return atomic_load_explicit(mark_of(address), memory_order_relaxed) >>
               address % MARKED &
           ones(bytes);
}

/** Set @p bits from the one of an address on. */
static void set_bits(uintptr_t address, uint64_t bits)
{
    _Atomic uint64_t *mark = mark_of(address);
    bits <<= address % MARKED;
    if ((atomic_load_explicit(mark, memory_order_relaxed) & bits) != bits)
        atomic_fetch_or_explicit(mark, bits, memory_order_relaxed);
}

void sim_mark_written(uintptr_t address, unsigned bytes)
{
    set_bits(address, ones(bytes));
}

void sim_mark_initialised(const void *pointer, size_t bytes)
{
    uintptr_t address = (uintptr_t)pointer, end = address + bytes;
    if (!in_arena(address))
        return;
    while (address < end) {
        sim_granule *g = granule_of(address);
        uintptr_t next = (address | (GRANULE - 1)) + 1;
        uintptr_t stop = next < end ? next : end;
        uintptr_t low = next - GRANULE > g->low ? next - GRANULE : g->low;
        uintptr_t high = next < g->low + g->bytes ? next : g->low + g->bytes;
        g->by_many = true;
        if (address <= low && stop >= high)
            g->initialised = true;
        else if (!g->initialised)
            for (size_t n; address < stop; address += n) {
                n = in_mark(address, stop - address);
                set_bits(address, ones(n));
            }
        address = stop;
    }
}

void sim_copy_marks(const void *to, const void *from, size_t bytes)
{
    uintptr_t target = (uintptr_t)to, source = (uintptr_t)from;
    if (!in_arena(source) || granule_of(source)->initialised) {
        sim_mark_initialised(to, bytes);
        return;
    }
    for (size_t n; in_arena(target) && bytes; bytes -= n) {
        n = in_mark(target, in_mark(source, bytes));
        granule_of(target)->by_many = true;
        set_bits(target, granule_of(source)->initialised
                             ? ones(n)
                             : sim_written(source, n));
        target += n;
        source += n;
    }
}

size_t sim_count_uninitialised(const void *pointer, size_t bytes,
                               uintptr_t *first)
{
    uintptr_t begin = (uintptr_t)pointer & ~(uintptr_t)3;
    uintptr_t end = (uintptr_t)pointer + bytes;
    size_t unset = 0, row = 0;
    *first = 0;
    for (uintptr_t a = begin; a < end; a += 4) {
        if (granule_of(a)->initialised) {
            a = (a | (GRANULE - 1)) - 3; /* go on behind it */
            row = 0;
        } else if (sim_written(a, 4)) {
            row = 0;
        } else {
            unset++;
            if (++row == 4 && !*first)
                *first = a - 12;
        }
    }
    return unset;
}

/** Are all bytes of a buffer in the granule that begins at @p base marked? */
static bool all_marked(const sim_granule *g, uintptr_t base)
{
    uintptr_t low = base > g->low ? base : g->low;
    uintptr_t high = g->low + g->bytes;
    if (high > base + GRANULE)
        high = base + GRANULE;
    for (size_t n; low < high; low += n) {
        n = in_mark(low, high - low);
        if (sim_written(low, n) != ones(n))
            return false;
    }
    return true;
}

#define LARGE FILL_PIECE /**< buffers for which mincore() is worth a call */
#define LOOK_UP 4096     /**< pages that it is asked for at once */
static unsigned char there[LOOK_UP]; /* of marks */
static uintptr_t there_from;         /* number of the first page; 0: ask anew */

/**
 * Is there no page for the marks of the granule at @p base? Then they are 0: a
 * buffer may be far larger than what is stored in it (sim_memory_by_use()). Of
 * a page that was swapped out this says the same: its bytes are then looked up
 * one by one.
 */
static bool never_marked(uintptr_t base)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = (uintptr_t)mark_of(base) / page;
    uintptr_t last = (uintptr_t)mark_of(base + GRANULE - 1) / page;
    if (!there_from || last - there_from >= LOOK_UP) {
        there_from = at;
        if (mincore((void *)(at * page), LOOK_UP * page, there) != 0)
            memset(there, 1, sizeof there);
    }
    return !((there[at - there_from] | there[last - there_from]) & 1);
}

void sim_find_initialised(void)
{
    pthread_mutex_lock(&lock);
    there_from = 0;
    for (size_t i = 0; i < buffer_count; i++) {
        const sim_allocation *b = &buffers[i];
        uintptr_t base = b->start & ~(GRANULE - 1);
        for (; base < b->start + b->size; base += GRANULE) {
            sim_granule *g = granule_of(base);
            if (!g->initialised && (b->size < LARGE || !never_marked(base)))
                g->initialised = all_marked(g, base);
        }
    }
    pthread_mutex_unlock(&lock);
}
