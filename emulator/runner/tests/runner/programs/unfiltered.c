/* unfiltered CMD…: runs it where no seccomp filter can be installed any more. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)

int main(int count, char **arguments)
{
    (void)count;
    struct sock_filter code[] = {
        LOAD(arch), UNLESS(AUDIT_ARCH_X86_64, 5),
        LOAD(nr), UNLESS(SYS_prctl, 3),
        LOAD(args[0]), UNLESS(PR_SET_SECCOMP, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 98;
    execvp(arguments[1], arguments + 1);
    return 99;
}
