/** @file confine.c @see confine.h */
#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"

/* ---- Landlock: files ----------------------------------------------------- */

#define READ                                                                   \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |               \
     LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_FILE LANDLOCK_ACCESS_FS_WRITE_FILE
#define FIRST_RIGHTS ((uint64_t)(1 << 13) - 1) /**< of version 1: all of it */
#define REFER ((uint64_t)1 << 13)              /**< version 2: move, link */
#define TRUNCATE ((uint64_t)1 << 14)           /**< version 3 */
#define SCOPES 3 /**< version 6: abstract sockets, signals */

/** As of version 6; older kernels take the beginning of it. */
typedef struct {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
} ruleset;

/** The version of the kernel's Landlock; 0: none. */
static long landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                           LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? version : 0;
}

/** Allow @p rights below @p path, if there is such a path. */
static void allow(int rules, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = rights, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0)
        return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void allow_all(int rules, const char *const *paths, uint64_t rights)
{
    for (; *paths; paths++)
        allow(rules, *paths, rights);
}

/** What programs and compilers need of a system, and nobody's secrets: no
 * /etc, no /proc with other programs' settings. */
static const char *const of_the_system[] = {"/usr",
                                            "/lib",
                                            "/lib64",
                                            "/bin",
                                            "/opt",
                                            "/nix",
                                            "/sys",
                                            "/dev",
                                            "/etc/ld.so.cache",
                                            "/etc/alternatives",
                                            "/proc/meminfo",
                                            "/proc/cpuinfo",
                                            NULL};
static const char *const of_a_driver[] = {"/etc", "/proc", NULL};

/** Allow no more than the rules do, from now on. */
static const char *enforce(int rules)
{
    if (syscall(SYS_landlock_restrict_self, rules, 0) != 0)
        return "Landlock";
    close(rules);
    return NULL;
}

const char *confine_reading(const char *const *paths)
{
    ruleset wanted = {.files = READ};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return "no new privileges";
    if (!landlock_version())
        return NULL;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted,
                             offsetof(ruleset, network), 0);
    if (rules < 0)
        return "Landlock";
    allow_all(rules, of_the_system, READ);
    allow_all(rules, paths, READ);
    return enforce(rules);
}

static const char *confine_files(const char *program, const char *folder)
{
    long version = landlock_version();
    if (!version)
        return NULL;
    ruleset wanted = {.files = FIRST_RIGHTS | (version >= 2 ? REFER : 0) |
                               (version >= 3 ? TRUNCATE : 0),
                      .scoped = SCOPES};
    size_t size = version >= 6   ? sizeof(wanted)
                  : version >= 4 ? offsetof(ruleset, scoped)
                                 : offsetof(ruleset, network);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &wanted, size, 0);
    if (rules < 0)
        return "Landlock";
    allow_all(rules, of_the_system, READ);
    if (!device_simulated())
        allow_all(rules, of_a_driver, READ);
    allow(rules, program,
          LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE);
    allow(rules, folder, wanted.files);
    // The driver of a GPU is reached by writing to its devices; it also names
    // its threads, in /proc/self/task.
    allow(rules, device_simulated() ? "/dev/null" : "/dev",
          LANDLOCK_ACCESS_FS_READ_FILE | WRITE_FILE);
    if (!device_simulated())
        allow(rules, "/proc/self", WRITE_FILE | (wanted.files & TRUNCATE));
    return enforce(rules);
}

/* ---- seccomp: calls of the kernel ---------------------------------------- */

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field)                                                            \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
/** If what was loaded is @p value: the next statement, else skip it. */
#define IF(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)
#define REFUSE(call) IF(SYS_##call), RETURN(REFUSED)

static const char *confine_calls(void)
{
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
#if defined(__x86_64__)
        REFUSE(fork),
        REFUSE(vfork),
        // The numbers of x32, the same calls once more.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        RETURN(REFUSED),
#endif
        REFUSE(kill),
        REFUSE(tkill),
        REFUSE(rt_sigqueueinfo),
        REFUSE(rt_tgsigqueueinfo),
        REFUSE(pidfd_send_signal),
        REFUSE(pidfd_getfd),
        REFUSE(ptrace),
        REFUSE(process_vm_readv),
        REFUSE(process_vm_writev),
        REFUSE(connect),
        // The driver of a GPU binds a socket that nobody connects to.
        IF(SYS_bind),
        RETURN(device_simulated() ? REFUSED : SECCOMP_RET_ALLOW),
        REFUSE(io_uring_setup), // its work does not pass here
        REFUSE(unshare),
        REFUSE(setns),
        REFUSE(mount),
        REFUSE(chroot),
        REFUSE(bpf),
        REFUSE(shmget),
        REFUSE(msgget),
        // glibc then starts threads by clone(), whose flags can be seen.
        IF(SYS_clone3),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        RETURN(REFUSED),
        RETURN(SECCOMP_RET_ALLOW),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
        RETURN(REFUSED),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(*filter),
                                 .filter = filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0
               ? NULL
               : "seccomp";
}

/** Can the kernel filter calls at all? */
static int has_seccomp(void)
{
    // With no filter it says EFAULT; a kernel without it says EINVAL.
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != 0 &&
           errno == EFAULT;
}

/* ---- all of it ----------------------------------------------------------- */

void confine_describe(char *text, size_t size)
{
    snprintf(text, size, "%s (Landlock), %s (seccomp)",
             landlock_version() ? "own folder only" : "WRITES ANYWHERE",
             has_seccomp() ? "no network, no processes"
                           : "NETWORK AND PROCESSES");
}

static void limit(int resource, rlim_t most)
{
    struct rlimit both = {most, most};
    setrlimit(resource, &both);
}

const char *confine(const char *program, const char *folder, unsigned seconds)
{
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_FSIZE, (rlim_t)CONFINE_FILE_MIB << 20);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 256);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return "no new privileges";
    const char *failed = confine_files(program, folder);
    if (!failed && has_seccomp())
        failed = confine_calls();
    return failed;
}
