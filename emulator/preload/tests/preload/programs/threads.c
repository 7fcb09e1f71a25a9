/* Threads that block all signals, in every way there is; small stacks for signals; forked children. */
#define _GNU_SOURCE
#include "padlock.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 50 };

static void encrypt(void)
{
    static const uint8_t EXPECTED[16] = { 0x0b, 0x9b, 0x15, 0xda, 0x4b, 0x44, 0xa0, 0xf5,
                                          0x15, 0x1d, 0xcf, 0xc4, 0xc0, 0x1f, 0x35, 0xd5 };
    _Alignas(16) uint8_t data[16] = { 0 };
    struct call call = aes(data, data, 1, NULL);
    xcryptecb(&call);
    CHECK(!memcmp(data, EXPECTED, 16));
}

static sigset_t everything(void)
{
    sigset_t all;
    sigfillset(&all);
    return all;
}

static void *blocked(void *unused)
{
    sigset_t all = everything(), old;
    CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
    for (int i = 0; i < TURNS; i++)
        encrypt();
    CHECK(pthread_sigmask(SIG_SETMASK, &all, &old) == 0);
    CHECK(sigismember(&old, SIGUSR1) && sigismember(&old, SIGTERM));
    encrypt();
    return unused;
}

static void *from_the_start(void *unused)
{
    encrypt();
    return unused;
}

static pthread_barrier_t together;

/* Places that several threads reach for the first time at once. */
static void *same_places(void *unused)
{
    struct call call = { NULL, NULL, 0, KEY, AES_128, 0 };
    pthread_barrier_wait(&together);
    /* No blocks: each instruction does nothing, and traps. */
    asm volatile(".rept 1000\n.byte 0xf3, 0x0f, 0xa7, 0xc8\n.endr"
                 : "+S"(call.source), "+D"(call.destination), "+c"(call.count)
                 : "b"(call.key), "d"(call.control)
                 : "memory", "cc");
    return unused;
}

/* The mask of a wait holds while a handler runs. */
static void in_handler(int signal)
{
    (void)signal;
    encrypt();
}

static void waits(void)
{
    sigset_t all = everything();
    struct sigaction action = { .sa_handler = in_handler, .sa_mask = all };
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    CHECK(signal(SIGUSR2, in_handler) != SIG_ERR);
    sigset_t but_one = all;
    sigdelset(&but_one, SIGUSR2);
    struct timespec second = { 1, 0 };
    for (int which = 0; which < 4; which++) {
        CHECK(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
        raise(SIGUSR2);
        int epoll = epoll_create1(0);
        struct epoll_event event;
        int result = which == 0   ? sigsuspend(&but_one)
                     : which == 1 ? ppoll(NULL, 0, &second, &but_one)
                     : which == 2 ? pselect(0, NULL, NULL, NULL, &second, &but_one)
                                  : epoll_pwait(epoll, &event, 1, 1000, &but_one);
        CHECK(result == -1);
        close(epoll);
        encrypt();
    }
}

static void stacks(void)
{
    /* The least that the kernel takes, and what the emulator asks for. */
    size_t size = getauxval(AT_MINSIGSTKSZ) + 8192;
    stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
    CHECK(sigaltstack(&stack, NULL) == 0);
    encrypt();
    _Alignas(16) uint64_t state[16] = { 1 };
    static _Alignas(16) uint8_t data[128];
    struct call call = { data, state, 1, NULL, NULL, 0 };
    xsha512(&call);
    stack.ss_flags = SS_DISABLE;
    CHECK(sigaltstack(&stack, NULL) == 0);
}

static void children(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        encrypt();
        _exit(7);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    /* Shares memory with us. */
    child = vfork();
    if (child == 0) {
        encrypt();
        _exit(8);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 8);
}

int main(void)
{
    sigset_t all = everything();
    pthread_t threads[THREADS];
    CHECK(pthread_barrier_init(&together, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, same_places, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, blocked, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setsigmask_np(&attributes, &all) == 0);
    CHECK(pthread_create(&threads[0], &attributes, from_the_start, NULL) == 0);
    CHECK(pthread_join(threads[0], NULL) == 0);
    waits();
    stacks();
    children();
    return 0;
}
