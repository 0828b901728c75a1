/**
 * @file confined.c
 * @brief confined PATH... -- COMMAND...: a command that reads nothing else.
 *
 * Who compiles a learner's file reads whatever that includes, or names in an
 * .incbin; what it read would stand in the program, and be printed.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "confine.h"

#define MOST_MIB 256 /**< of a file that it writes */

int main(int argc, char **argv)
{
    int end = 1;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    if (end + 1 >= argc)
        return 126;
    argv[end] = NULL;
    struct rlimit most = {(rlim_t)MOST_MIB << 20, (rlim_t)MOST_MIB << 20};
    setrlimit(RLIMIT_FSIZE, &most);
    const char *failed = confine_reading((const char *const *)argv + 1);
    if (failed) {
        fprintf(stderr, "%s: cannot be confined\n", failed);
        return 126;
    }
    execvp(argv[end + 1], argv + end + 1);
    perror(argv[end + 1]);
    return 127;
}
