/** @file child_process.c @see child_process.h */
#define _GNU_SOURCE
#include "child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "confine.h"
#include "internal.h"

#define LOOK_MS 50 /**< between two looks at the memory that it takes */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** A limit of the environment. */
static double limit_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

/* ---- start --------------------------------------------------------------- */

/** The options of the problem; release with free(). */
static char **child_arguments(const char *program, int argc, char **argv)
{
    static const char *const own[] = {"--json", "--variant", "--seed",
                                      "--small"};
    char **kept = host_alloc(((size_t)argc + 1) * sizeof(*kept));
    int count = 0;
    kept[count++] = (char *)program;
    for (int i = 1; i < argc; i++) {
        bool is_own = false; // no business of the child
        for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
            is_own = is_own || strcmp(argv[i], own[k]) == 0;
        if (!is_own)
            kept[count++] = argv[i];
        i += is_own; // with its value
    }
    kept[count] = NULL;
    return kept;
}

/** What drivers and the simulator look for; release with free(). */
static char **child_environment(void)
{
    static const char *const kept[] = {
        "PATH=",        "LD_LIBRARY_PATH=", "CUDA_",       "SIM_ORDER=",
        "SIM_THREADS=", "NVIDIA_",          "SIM_TIMEOUT="};
    size_t count = 0;
    while (environ[count])
        count++;
    char **list = host_alloc((count + 1) * sizeof(*list));
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof(kept) / sizeof(*kept); k++) {
            if (strncmp(environ[i], kept[k], strlen(kept[k])) == 0) {
                list[last++] = environ[i];
                break;
            }
        }
    }
    list[last] = NULL;
    return list;
}

/** In the new process: from here on nothing but calls of the kernel. */
static void become(const char *folder, int output, int socket, int memory,
                   char **arguments, char **environment)
{
    int null = open("/dev/null", O_RDWR);
    // Above 4 first: one of them may be 3 or 4 already.
    socket = fcntl(socket, F_DUPFD, 10);
    memory = fcntl(memory, F_DUPFD, 10);
    dup2(null, 0);
    dup2(output, 1);
    dup2(output, 2);
    dup2(socket, GRADE_SOCKET);
    dup2(memory, GRADE_MEMORY);
    syscall(SYS_close_range, GRADE_MEMORY + 1, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    const char *failed =
        chdir(folder) != 0
            ? "its folder"
            : confine(arguments[0], folder,
                      (unsigned)(4 * limit_of("GRADE_SECONDS", 40)));
    if (!failed)
        execve(arguments[0], arguments, environment);
    failed = failed ? failed : "execve";
    if (write(1, failed, strlen(failed)) < 0)
        _exit(126);
    _exit(127);
}

child_process child_start(const char *program, const char *folder, int argc,
                          char **argv)
{
    child_process c = {.program = program};
    char path[4096];
    int ends[2];
    snprintf(path, sizeof(path), "%s.output", folder);
    int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int memory = memfd_create("grade", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    REQUIRE(output >= 0 && memory >= 0 &&
                ftruncate(memory, (off_t)GRADE_BYTES) == 0 &&
                // A page that is gone would end this process, not the child.
                fcntl(memory, F_ADD_SEALS,
                      F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
                socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
            "%s: cannot be started: %s", program, strerror(errno));
    c.page =
        mmap(NULL, GRADE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    REQUIRE(c.page != MAP_FAILED, "no memory to share");
    char **arguments = child_arguments(program, argc, argv);
    char **environment = child_environment();
    fflush(NULL);
    c.process = fork();
    if (c.process == 0)
        become(folder, output, ends[1], memory, arguments, environment);
    REQUIRE(c.process > 0, "no more processes: %s", strerror(errno));
    c.socket = ends[0];
    close(ends[1]);
    close(output);
    close(memory);
    free(arguments);
    free(environment);
    return c;
}

/* ---- ask ----------------------------------------------------------------- */

/** End with one line about the child. */
__attribute__((format(printf, 2, 3), noreturn)) static void
give_up(child_process *c, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fflush(stdout);
    fputs("child: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    child_stop(c);
    exit(EXIT_WRONG);
}

/** It has closed its end: how did it end? */
static void tell_end(child_process *c)
{
    int status = 0;
    kill(-c->process, SIGKILL); // if it has not; a zombie does not mind
    waitpid(c->process, &status, 0);
    c->process = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        give_up(c, "prints more than %d MiB: take the printf out",
                CONFINE_FILE_MIB);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        give_up(c, "ended by signal %d (%s)", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    if (WIFEXITED(status))
        give_up(c, "ended with status %d before it was asked for all results",
                WEXITSTATUS(status));
    give_up(c, "ended before it was asked for all results");
}

/** Memory that it takes (MiB). */
static double memory_of(pid_t process)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/** Seconds of all its threads. */
static double cpu_s(pid_t process)
{
    clockid_t clock;
    struct timespec t = {0, 0};
    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Wait for its turn to end. On a busy machine it gets more time, not less. */
static void wait_for(child_process *c)
{
    static double begin;
    double seconds = limit_of("GRADE_SECONDS", 40);
    double most = limit_of("GRADE_MIB", 4096);
    struct pollfd ready = {.fd = c->socket, .events = POLLIN};
    if (begin == 0)
        begin = now_s();
    while (poll(&ready, 1, LOOK_MS) == 0) {
        if (cpu_s(c->process) > seconds || now_s() - begin > 3 * seconds)
            give_up(c, "not done after GRADE_SECONDS=%.0f s: an endless loop?",
                    seconds);
        if (memory_of(c->process) > most)
            give_up(c, "takes more than %.0f MiB of memory", most);
    }
}

double child_ask(child_process *c, grade_step step)
{
    char turn = 1;
    c->page->step = step;
    double begin = now_s();
    if (send(c->socket, &turn, 1, MSG_NOSIGNAL) != 1)
        tell_end(c);
    wait_for(c);
    double seconds = now_s() - begin;
    if (recv(c->socket, &turn, 1, 0) != 1)
        tell_end(c);
    if (c->page->failed[0]) // its own text, which may have no end
        give_up(c, "%.*s", GRADE_TEXT - 1, c->page->failed);
    return seconds;
}

void child_stop(child_process *c)
{
    if (c->process > 0) {
        kill(-c->process, SIGKILL);
        kill(c->process, SIGKILL);
        waitpid(c->process, NULL, 0);
    }
    c->process = 0;
}
