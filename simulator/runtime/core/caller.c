/**
 * @file caller.c
 * @brief Which line of the program an address of its code belongs to.
 *
 * addr2line, a part of the binutils that linked the program, says it.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <unistd.h>

#include "inside.h"

uintptr_t sim_image;
size_t sim_image_bytes;
uintptr_t sim_image_base;

/** Is this a file of the simulator, in runtime/ or include/? */
static bool is_own_file(const char *file)
{
    static const char here[] = __FILE__; /* .../runtime/core/caller.c */
    const size_t house = sizeof here - sizeof "runtime/core/caller.c";
    return !strncmp(file, here, house) &&
           (!strncmp(file + house, "runtime/", 8) ||
            !strncmp(file + house, "include/", 8));
}

/** As sim_line_of(), the file as the compiler was told. Of what is inlined
 * there it is the innermost line of a file that is not ours.
 * @param back  how far before may be looked, where the compiler has given an
 *              instruction no line
 */
static int raw_line_of(uintptr_t code, char *text, int bytes, unsigned back)
{
    unsigned long long at = code - sim_image_base;
    FILE *tool =
        popen(sim_format("addr2line -i -e /proc/%d/exe %#llx %#llx %#llx "
                         "2>/dev/null",
                         (int)getpid(), at, at - back / 4, at - back),
              "r");
    int line = 0;
    while (tool && !line && fgets(text, bytes, tool)) {
        char *colon = strrchr(text, ':');
        line = colon ? atoi(colon + 1) : 0;
        if (line)
            *colon = 0;
        if (line && is_own_file(text))
            line = 0;
    }
    if (tool)
        pclose(tool);
    return line;
}

/** Make the path of a file in the working directory a short one. */
static void shorten(char *file)
{
    char folder[PATH_BYTES] = "";
    size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (length && !strncmp(file, folder, length) && file[length] == '/')
        memmove(file, file + length + 1, strlen(file) - length);
}

int sim_line_of(uintptr_t code, char *text, int bytes)
{
    int line = raw_line_of(code, text, bytes, 16);
    if (!line)
        snprintf(text, (size_t)bytes, "?");
    shorten(text);
    return line;
}

void sim_caller_note(void *frames[MOST_FRAMES])
{
    memset(frames, 0, MOST_FRAMES * sizeof *frames);
    backtrace(frames, MOST_FRAMES);
}

sim_place sim_caller_noted(void *const frames[MOST_FRAMES])
{
    static _Thread_local void *before[MOST_FRAMES];
    static _Thread_local char file[PATH_BYTES];
    static _Thread_local int line;
    if (!memcmp(frames, before, sizeof before)) /* in a loop: known already */
        return (sim_place){.file = line ? file : "?", .line = line};
    memcpy(before, frames, sizeof before);
    line = 0;
    for (int i = 0; i < MOST_FRAMES && frames[i] && !line; i++) {
        uintptr_t code = (uintptr_t)frames[i] - 1; /* in the call */
        if (code - sim_image < sim_image_bytes)
            line = raw_line_of(code, file, sizeof file, 0);
    }
    shorten(file);
    return (sim_place){.file = line ? file : "?", .line = line};
}

sim_place sim_caller(void)
{
    static _Thread_local void *frames[MOST_FRAMES];
    sim_caller_note(frames);
    return sim_caller_noted(frames);
}
