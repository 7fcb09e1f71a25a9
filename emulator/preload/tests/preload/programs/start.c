/* start FUNCTION FILE: becomes or starts FILE by this function of libc, with an environment that holds nothing of the emulator's. */
#define _GNU_SOURCE
#include "padlock.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIST "zero", "1", "2", "3", "4", "5", "6", "7"

int main(int count, char **arguments)
{
    CHECK(count == 3);
    const char *function = arguments[1], *file = arguments[2];
    char *list[] = { LIST, NULL }, *variables[] = { "KEPT=kept", NULL };
    /* The name alone, in PATH. */
    char *directory = strdup(file), *name = strrchr(directory, '/');
    *name++ = 0;
    /* In front of it a folder of that name, which is no program. */
    char decoy[2048], path[8192];
    snprintf(decoy, sizeof decoy, "%s/decoy", directory);
    mkdir(decoy, 0777);
    snprintf(decoy, sizeof decoy, "%s/decoy/%s", directory, name);
    mkdir(decoy, 0777);
    snprintf(path, sizeof path, "/nowhere:%s/decoy:%s", directory, directory);
    clearenv();
    setenv("PATH", path, 1);
    setenv("KEPT", "kept", 1);
    pid_t child = 0;
    int result = -1;
    if (!strcmp(function, "execve"))
        execve(file, list, variables);
    else if (!strcmp(function, "execv"))
        execv(file, list);
    else if (!strcmp(function, "execvp"))
        execvp(name, list);
    else if (!strcmp(function, "execvpe"))
        execvpe(name, list, variables);
    else if (!strcmp(function, "execl"))
        execl(file, LIST, NULL);
    else if (!strcmp(function, "execlp"))
        execlp(name, LIST, NULL);
    else if (!strcmp(function, "execle"))
        execle(file, LIST, NULL, variables);
    else if (!strcmp(function, "fexecve"))
        fexecve(open(file, O_RDONLY | O_CLOEXEC), list, variables);
    else if (!strcmp(function, "execveat"))
        execveat(open(directory, O_PATH | O_CLOEXEC), name, list, variables, 0);
    else if (!strcmp(function, "execveat: AT_FDCWD")) {
        CHECK(chdir(directory) == 0);
        execveat(AT_FDCWD, name, list, variables, AT_SYMLINK_NOFOLLOW);
    } else if (!strcmp(function, "posix_spawn"))
        result = posix_spawn(&child, file, NULL, NULL, list, variables);
    else if (!strcmp(function, "posix_spawnp"))
        result = posix_spawnp(&child, name, NULL, NULL, list, variables);
    else if (!strcmp(function, "vfork")) {
        child = vfork();
        if (child == 0) {
            execve(file, list, variables);
            _exit(1);
        }
        result = 0;
    } else
        CHECK(!"a function of this name");
    CHECK(result == 0 && child > 0);
    CHECK(waitpid(child, &result, 0) == child && result == 0);
    /* What cannot be started is said as by libc. */
    CHECK(execve("/nowhere", list, variables) == -1 && errno == ENOENT);
    CHECK(execvp("nowhere", list) == -1 && errno == ENOENT);
    CHECK(execv("/etc/passwd", list) == -1 && errno == EACCES);
    CHECK(execveat(-1, "/proc/self/exe", list, variables, AT_SYMLINK_NOFOLLOW) == -1 && errno == ELOOP);
    CHECK(posix_spawn(&child, "/nowhere", NULL, NULL, list, variables) == ENOENT);
    CHECK(posix_spawnp(&child, "nowhere", NULL, NULL, list, variables) == ENOENT);
    return 0;
}
