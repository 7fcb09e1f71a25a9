/* refused CALL ARGUMENT ERROR CMD…: runs it where this system call fails with this error when this is its first argument. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

int main(int count, char **arguments)
{
    if (count < 5)
        return 97;
    struct sock_filter code[] = {
        LOAD(arch), UNLESS(AUDIT_ARCH_X86_64, 5),
        LOAD(nr), UNLESS(atoi(arguments[1]), 3),
        LOAD(args[0]), UNLESS(atoi(arguments[2]), 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(arguments[3])),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 98;
    execvp(arguments[4], arguments + 4);
    return 99;
}
