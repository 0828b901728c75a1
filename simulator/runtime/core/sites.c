/**
 * @file sites.c
 * @brief Reads the tables that lower.py has put into the program.
 *
 * Each object file registers its table before main() begins. The text is taken
 * apart when the first launch needs it. In plain mode there is no table, and
 * every site is 0.
 */
#define _GNU_SOURCE
#include "inside.h"

static const char *const op_names[OPS_KINDS] = {
    "ffma", "fadd", "fmul", "fdiv", "special", "double", "integer", "branch"};

static sim_module *modules;
static sim_module *_Atomic read_up_to; /* from here on they have been read */
uint8_t *sim_entry_kind;
bool sim_any_read_only;
static sim_site *sites;
static uint32_t site_limit = 1;
static sim_kernel_info *
    *kernels; /* pointers, so that they stay where they are */
static size_t kernel_count;
static const void *
    *functions; /**< of the device, where one is called by a pointer */
static size_t function_count;
static struct run {
    const void *run;
    const void *kernel;
} * runs;
static size_t run_count;
static sim_array *arrays;
static size_t array_count;
/* Of all the above: any thread of the host may be the first to launch. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void sim_register(sim_module *module)
{
    module->next = modules;
    modules = module;
}

bool sim_counting(void)
{
    sim_settings_read();
    return modules && sim_settings.checks;
}

/* ---- sites --------------------------------------------------------------- */

/** Take "file:line:col" apart; the file's name may hold colons. */
static void read_position(sim_site *site, char *text)
{
    if (*text == '~') {
        site->nearby = true;
        text++;
    }
    char *colon = strrchr(text, ':');
    if (!colon)
        return;
    site->column = atoi(colon + 1);
    *colon = 0;
    colon = strrchr(text, ':');
    if (!colon)
        return;
    site->line = atoi(colon + 1);
    *colon = 0;
    site->file = text;
}

/** Take the operations apart: "ffma=8 integer=3", spaces or tabs between; of a
 *  barrier it is the end of its loop. */
static void read_operations(sim_site *site, char *text)
{
    for (char *end, *word = strtok_r(text, " \t", &end); word;
         word = strtok_r(NULL, " \t", &end)) {
        char *equals = strchr(word, '=');
        if (!strncmp(word, "end=", 4))
            site->end = (uint32_t)atoi(word + 4);
        for (int i = 0; equals && i < OPS_KINDS; i++)
            if (!strncmp(word, op_names[i], (size_t)(equals - word)) &&
                !op_names[i][equals - word])
                site->ops[i] = (uint16_t)atoi(equals + 1);
    }
}

/** One line of a table: kind, position, operations. */
static void read_site(sim_site *site, char *line)
{
    site->kind = line[0];
    char *position = line[0] ? line + 1 : line;
    while (*position == ' ' || *position == '\t')
        position++;
    char *operations = strchr(position, '\t');
    if (operations) {
        *operations++ = 0;
        read_operations(site, operations);
    }
    char *callers = strstr(position, " <- ");
    if (callers) {
        *callers = 0;
        site->callers = callers + 4;
    }
    read_position(site, position);
}

static void read_module(const sim_module *module)
{
    uint32_t end = module->first_site + module->site_count;
    if (end > site_limit) {
        sites = sim_grow(sites, end * sizeof *sites);
        sim_entry_kind = sim_grow(sim_entry_kind, end);
        uint32_t from = site_limit > 1 ? site_limit : 0;
        memset(sites + from, 0, (end - from) * sizeof *sites);
        memset(sim_entry_kind + from, 0, end - from);
        site_limit = end;
    }
    char *text = strdup(module->sites); /* kept: the sites point into it */
    for (uint32_t i = 0; text && *text && i < module->site_count; i++) {
        char *newline = strchr(text, '\n');
        if (newline)
            *newline = 0;
        read_site(&sites[module->first_site + i], text);
        sim_any_read_only |= *text == 'R' || *text == 'r';
        sim_entry_kind[module->first_site + i] = *text == 'B' ? ENTRY_BLOCK
                                                 : strchr("Eert", *text)
                                                     ? ENTRY_BOTH
                                                     : ENTRY_ACCESS;
        text = newline ? newline + 1 : NULL;
    }
}

/** Read the modules that have come since the last time. */
static void read_modules(void)
{
    pthread_mutex_lock(&lock);
    sim_module *first = modules, *end = read_up_to;
    for (const sim_module *m = first; m != end; m = m->next) {
        read_module(m);
        if (m->kernels)
            m->kernels();
    }
    read_up_to = first; /* behind the rest: others go on without the lock */
    pthread_mutex_unlock(&lock);
}

uint32_t sim_site_limit(void)
{
    if (read_up_to != modules)
        read_modules();
    return site_limit;
}

bool sim_same_constant(uint32_t a, uint32_t b)
{
    char kind = sim_site_info(a)->kind;
    return a == b && (kind == 'C' || kind == 'e');
}

bool sim_is_tentative(uint32_t site)
{
    return (sim_site_info(site)->kind | 32) == 't';
}

bool sim_is_read_only(uint32_t site)
{
    char kind = sim_site_info(site)->kind;
    return kind == 'R' || kind == 'r';
}

const sim_site *sim_site_info(uint32_t site)
{
    static const sim_site unknown;
    return site < sim_site_limit() && site > 0 ? &sites[site] : &unknown;
}

const char *sim_position(uint32_t number)
{
    const sim_site *site = sim_site_info(number);
    if (!site->file)
        return "?";
    return sim_format("%s%s:%d:%d", site->nearby ? "~" : "", site->file,
                      site->line, site->column);
}

bool sim_same_place(uint32_t a, uint32_t b)
{
    const sim_site *one = sim_site_info(a), *other = sim_site_info(b);
    return one->file && other->file && !strcmp(one->file, other->file) &&
           one->line == other->line && one->column == other->column;
}

const char *sim_position_from(uint32_t number, uint32_t from)
{
    const sim_site *site = sim_site_info(number), *other = sim_site_info(from);
    if (!site->file || !other->file || strcmp(site->file, other->file))
        return sim_position(number);
    return sim_format("line %d", site->line);
}

/* ---- kernels ------------------------------------------------------------- */

/** The kernel at an address; NULL: there is none. The lock is held. */
static sim_kernel_info *find(const void *address)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i]->address == address)
            return kernels[i];
    return NULL;
}

/** The same, which may be a new one. */
static sim_kernel_info *find_or_add(const void *address)
{
    pthread_mutex_lock(&lock);
    sim_kernel_info *kernel = find(address);
    if (!kernel) {
        kernels = sim_grow(kernels, (kernel_count + 1) * sizeof *kernels);
        kernel = sim_grow(NULL, sizeof *kernel);
        *kernel = (sim_kernel_info){.address = address,
                                    .most_threads = MAX_THREADS,
                                    .dynamic_limit = SHARED_DEFAULT};
        kernels[kernel_count++] = kernel;
    }
    pthread_mutex_unlock(&lock);
    return kernel;
}

sim_kernel_info *sim_kernel_at(const void *address)
{
    sim_site_limit();
    pthread_mutex_lock(&lock);
    sim_kernel_info *kernel = find(address);
    pthread_mutex_unlock(&lock);
    return kernel;
}

sim_kernel_info *sim_kernel_get(const void *address)
{
    sim_site_limit();
    return find_or_add(address);
}

void sim_kernel(const void *kernel, const char *name, size_t shared_bytes,
                size_t local_bytes, unsigned most_threads)
{
    sim_kernel_info *k = find_or_add(kernel);
    if (k->name)
        return; /* a template that two object files hold */
    k->name = strdup(name);
    k->shared_bytes = shared_bytes;
    k->local_bytes = local_bytes;
    if (most_threads && most_threads < MAX_THREADS)
        k->most_threads = most_threads;
}

void sim_kernel_cluster(const void *kernel, unsigned x, unsigned y, unsigned z)
{
    unsigned *cluster = find_or_add(kernel)->cluster;
    cluster[0] = x;
    cluster[1] = y;
    cluster[2] = z;
}

void sim_device_function(const void *function)
{
    functions = sim_grow(functions, (function_count + 1) * sizeof *functions);
    functions[function_count++] = function;
}

bool sim_is_device_function(const void *function)
{
    for (size_t i = 0; i < function_count; i++)
        if (functions[i] == function)
            return true;
    return false;
}

void sim_kernel_pack(const void *kernel, sim_pack_fn pack)
{
    find_or_add(kernel)->pack = pack;
}

void sim_kernel_run(const void *run, const void *kernel)
{
    for (size_t i = 0; i < run_count; i++)
        if (runs[i].run == run)
            return;
    runs = sim_grow(runs, (run_count + 1) * sizeof *runs);
    runs[run_count++] = (struct run){run, kernel};
}

sim_kernel_info *sim_kernel_of_run(const void *run)
{
    sim_site_limit();
    for (size_t i = 0; i < run_count; i++)
        if (runs[i].run == run)
            return sim_kernel_at(runs[i].kernel);
    return NULL;
}

size_t sim_largest_dynamic_limit(void)
{
    size_t largest = SHARED_DEFAULT;
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i]->dynamic_limit > largest)
            largest = kernels[i]->dynamic_limit;
    return largest;
}

/* ---- variables ----------------------------------------------------------- */

static sim_variable_info *variables; /* sorted by address */
static size_t variable_count;

void sim_variable(const char *name, void *address, size_t bytes, size_t element,
                  const char *dimensions, bool managed)
{
    size_t at = variable_count;
    while (at > 0 && variables[at - 1].array.offset > (size_t)address)
        at--;
    if (at > 0 && variables[at - 1].array.offset == (size_t)address)
        return; /* of a template that two object files hold */
    variables = sim_grow(variables, (variable_count + 1) * sizeof *variables);
    memmove(&variables[at + 1], &variables[at],
            (variable_count++ - at) * sizeof *variables);
    variables[at] = (sim_variable_info){
        .array = {name, (size_t)address, bytes, element, dimensions},
        .managed = managed};
}

sim_variable_info *sim_variable_before(uintptr_t address)
{
    sim_site_limit();
    size_t low = 0, high = variable_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (variables[middle].array.offset <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &variables[low - 1] : NULL;
}

sim_variable_info *sim_variable_at(uintptr_t address)
{
    static _Thread_local sim_variable_info *latest;
    if (!latest || address - latest->array.offset >= latest->array.bytes)
        latest = sim_variable_before(address);
    return latest && address - latest->array.offset < latest->array.bytes
               ? latest
               : NULL;
}

/* ---- shared arrays ------------------------------------------------------- */

/*
 * A shared array is a thread-local variable, so its address differs from one
 * OS thread to the next, but the distances between the arrays do not.
 */
static _Thread_local struct {
    sim_array *found; /* offset holds the address at first */
    size_t count;
} here;

void sim_shared_array(const char *name, void *address, size_t bytes,
                      size_t element, const char *dimensions)
{
    here.found = sim_grow(here.found, (here.count + 1) * sizeof *here.found);
    here.found[here.count++] =
        (sim_array){name, (size_t)address, bytes, element, dimensions};
}

static int by_offset(const void *a, const void *b)
{
    const sim_array *x = a, *y = b;
    return COMPARE(x->offset, y->offset);
}

void sim_find_arrays(uintptr_t *low, size_t *bytes)
{
    sim_site_limit();
    here.count = 0;
    for (const sim_module *m = modules; m; m = m->next)
        if (m->shared_arrays)
            m->shared_arrays();
    *low = 0;
    *bytes = 0;
    if (!here.count)
        return;
    qsort(here.found, here.count, sizeof *here.found, by_offset);
    uintptr_t end = 0;
    *low = here.found[0].offset & ~(uintptr_t)127;
    for (size_t i = 0; i < here.count; i++) {
        if (here.found[i].offset + here.found[i].bytes > end)
            end = here.found[i].offset + here.found[i].bytes;
        here.found[i].offset -= *low;
    }
    *bytes = (end - *low + 15) & ~(size_t)15;
    pthread_mutex_lock(&lock);
    if (!arrays) {
        arrays = here.found;
        array_count = here.count;
    } else {
        free(here.found);
    }
    pthread_mutex_unlock(&lock);
    here.found = NULL;
}

size_t sim_arrays(const sim_array **all)
{
    *all = arrays;
    return array_count;
}
