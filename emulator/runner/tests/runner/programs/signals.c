/* signals CASE: what a program sees of signals while it is traced. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static _Alignas(16) const uint8_t key[16] = "0123456789abcdef";
static _Alignas(16) const uint32_t control_word[4] = { 10 };

static void encrypt(const void *source, void *destination, size_t blocks)
{
    __asm__ volatile(".byte 0xf3, 0x0f, 0xa7, 0xc8"
                     : "+S"(source), "+D"(destination), "+c"(blocks)
                     : "b"(key), "d"(control_word)
                     : "memory", "cc");
}

static volatile sig_atomic_t alarms;
static volatile siginfo_t seen;
static sigjmp_buf back;

static void count(int signal)
{
    (void)signal;
    alarms++;
}

static void leave(int signal, siginfo_t *about, void *context)
{
    (void)signal;
    (void)context;
    memcpy((void *)&seen, about, sizeof seen);
    siglongjmp(back, 1);
}

static void on(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
    CHECK(sigaction(signal, &action, NULL) == 0);
}

/* A timer that strikes again and again changes nothing. */
static void timer(void)
{
    static _Alignas(16) uint8_t data[16 * 256], once[16 * 256], again[16 * 256];
    struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
    encrypt(data, once, 256);
    signal(SIGALRM, count);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    while (alarms < 50) {
        encrypt(data, again, 256);
        CHECK(!memcmp(once, again, sizeof once));
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static uint8_t *page(int protection)
{
    uint8_t *memory = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

/* What the program brings on itself is none of PadLock's. */
static void own(void)
{
    volatile uint8_t *nowhere = page(PROT_NONE) + 7;
    on(SIGSEGV, leave);
    on(SIGILL, leave);
    on(SIGRTMIN + 3, leave);
    if (!sigsetjmp(back, 1))
        *nowhere = 1;
    CHECK(seen.si_signo == SIGSEGV && seen.si_code == SEGV_ACCERR && seen.si_addr == nowhere);
    if (!sigsetjmp(back, 1))
        __asm__ volatile("ud2");
    CHECK(seen.si_signo == SIGILL && seen.si_code == ILL_ILLOPN);
    if (!sigsetjmp(back, 1))
        raise(SIGILL);
    CHECK(seen.si_signo == SIGILL && seen.si_code == SI_TKILL && seen.si_pid == getpid());
    union sigval value = { .sival_int = 4711 };
    if (!sigsetjmp(back, 1))
        CHECK(sigqueue(getpid(), SIGRTMIN + 3, value) == 0);
    CHECK(seen.si_code == SI_QUEUE && seen.si_value.sival_int == 4711);
}

/* A page of a file that is shorter. */
static uint8_t *beyond_end(void)
{
    int file = memfd_create("short", 0);
    CHECK(file >= 0);
    uint8_t *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(mapped != MAP_FAILED);
    return mapped;
}

/* Faults of an instruction's own operands. */
static void faults(void)
{
    static _Alignas(16) uint8_t data[64];
    uint8_t *gone = page(PROT_READ), *readable = page(PROT_READ);
    CHECK(munmap(gone, 4096) == 0);
    on(SIGSEGV, leave);
    on(SIGBUS, leave);
    if (!sigsetjmp(back, 1))
        encrypt(gone + 16, data, 1);
    CHECK(seen.si_signo == SIGSEGV && seen.si_code == SEGV_MAPERR && seen.si_addr == gone + 16);
    if (!sigsetjmp(back, 1))
        encrypt(data, readable + 32, 1);
    CHECK(seen.si_signo == SIGSEGV && seen.si_code == SEGV_ACCERR && seen.si_addr == readable + 32);
    uint8_t *mapped = beyond_end();
    if (!sigsetjmp(back, 1))
        encrypt(mapped, data, 1);
    CHECK(seen.si_signo == SIGBUS && seen.si_addr == mapped);
}

/* A fault ends a program that would rather not hear of it. */
static void blocked(void)
{
    sigset_t all;
    sigfillset(&all);
    CHECK(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
    encrypt(page(PROT_NONE), page(PROT_READ | PROT_WRITE), 1);
}

static void ignored(void)
{
    signal(SIGSEGV, SIG_IGN);
    encrypt(page(PROT_NONE), page(PROT_READ | PROT_WRITE), 1);
}

/* Nor does it come to the handler of another fault. */
static void blocked_bus(void)
{
    sigset_t bus;
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    CHECK(sigprocmask(SIG_BLOCK, &bus, NULL) == 0);
    on(SIGSEGV, leave);
    if (!sigsetjmp(back, 1))
        encrypt(beyond_end(), page(PROT_READ | PROT_WRITE), 1);
}

static void ignored_bus(void)
{
    signal(SIGBUS, SIG_IGN);
    on(SIGSEGV, leave);
    if (!sigsetjmp(back, 1))
        encrypt(beyond_end(), page(PROT_READ | PROT_WRITE), 1);
}

/* A child is stopped and goes on; its parent sees both. Each time the child waits until that has been seen, which its
 * next stop or its end would hide. */
static void stopped(void)
{
    int status, seen[2];
    char byte = 0;
    CHECK(pipe(seen) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        static _Alignas(16) uint8_t data[16];
        /* SIGTSTP stops nobody whose process group has no parent outside. */
        setpgid(0, 0);
        raise(SIGSTOP);
        encrypt(data, data, 1);
        CHECK(read(seen[0], &byte, 1) == 1);
        raise(SIGTSTP);
        CHECK(read(seen[0], &byte, 1) == 1);
        _exit(5);
    }
    for (int expected = SIGSTOP;; expected = SIGTSTP) {
        CHECK(waitpid(child, &status, WUNTRACED) == child);
        CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == expected);
        CHECK(kill(child, SIGCONT) == 0);
        CHECK(waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
        CHECK(write(seen[1], &byte, 1) == 1);
        if (expected == SIGTSTP)
            break;
    }
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
}

/* The tracer is nobody's child. */
static void childless(void)
{
    CHECK(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD);
}

/* A filter that would ask a tracer. */
static void filter(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    CHECK(syscall(SYS_getppid) == -1 && errno == ENOSYS);
    CHECK(getpid() > 0);
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*run)(void); } CASES[] = {
        { "timer", timer }, { "own", own }, { "faults", faults }, { "blocked", blocked },
        { "blocked SIGBUS", blocked_bus }, { "ignored SIGBUS", ignored_bus }, { "filter", filter }, { "ignored", ignored }, { "stopped", stopped }, { "childless", childless },
    };
    CHECK(count == 2);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        if (!strcmp(arguments[1], CASES[i].name)) {
            CASES[i].run();
            return 0;
        }
    return 99;
}
