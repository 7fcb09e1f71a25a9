/* Faults reach the program as on hardware: with the address, at the instruction, with the registers as far as it came. */
#define _GNU_SOURCE
#include "padlock.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCKS = 8, BEFORE = 3 };

static struct {
    int signals;
    int code;
    const uint8_t *address;
    greg_t registers[NGREG];
} seen;
static uint8_t *forbidden;

static void note(int signal, siginfo_t *information, ucontext_t *context)
{
    (void)signal;
    seen.signals++;
    seen.code = information->si_code;
    seen.address = information->si_addr;
    memcpy(seen.registers, context->uc_mcontext.gregs, sizeof seen.registers);
}

/* As a pager does: brings the memory and lets the instruction go on. */
static void allow(int signal, siginfo_t *information, void *context)
{
    note(signal, information, context);
    CHECK(mprotect(forbidden, PAGE, PROT_READ | PROT_WRITE) == 0);
}

static void on(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };
    sigfillset(&action.sa_mask);
    CHECK(sigaction(signal, &action, NULL) == 0);
}

/* Two pages, of which the second one cannot be accessed; where it begins. */
static uint8_t *border(void)
{
    uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    for (int i = 0; i < 2 * PAGE; i++)
        pages[i] = (uint8_t)(i * 7 + i / 256);
    forbidden = pages + PAGE;
    CHECK(mprotect(forbidden, PAGE, PROT_NONE) == 0);
    return forbidden;
}

/* What CBC makes of the data, without faults. */
static void expect(const uint8_t *source, uint8_t *result)
{
    _Alignas(16) uint8_t iv[16] = { 1 };
    struct call call = aes(source, result, BLOCKS, iv);
    xcryptcbc(&call);
}

static void source_and_destination(int of_source, int offset)
{
    _Alignas(16) uint8_t iv[16] = { 1 }, data[16 * BLOCKS + PAGE], expected[16 * BLOCKS];
    seen.signals = 0;
    on(SIGSEGV, allow, 0);
    uint8_t *edge = border(), *near = edge - 16 * BEFORE - offset;
    CHECK(mprotect(edge, PAGE, PROT_READ | PROT_WRITE) == 0);
    memcpy(data, near, 16 * BLOCKS);
    expect(data, expected);
    CHECK(mprotect(edge, PAGE, PROT_NONE) == 0);
    uint8_t untouched[16];
    memcpy(untouched, edge - 16, 16);
    struct call call = of_source ? aes(near, data, BLOCKS, iv) : aes(data, near, BLOCKS, iv);
    xcryptcbc(&call);
    CHECK(seen.signals == 1);
    CHECK(seen.code == SEGV_ACCERR && seen.address == edge);
    CHECK(seen.registers[REG_RIP] == (greg_t)xcryptcbc_instruction);
    CHECK(seen.registers[REG_CR2] == (greg_t)edge && seen.registers[REG_TRAPNO] == 14);
    CHECK((seen.registers[REG_ERR] & 2) == (of_source ? 0 : 2));
    CHECK(seen.registers[REG_RCX] == BLOCKS - BEFORE);
    CHECK(seen.registers[REG_RSI] == (greg_t)((of_source ? near : data) + 16 * BEFORE));
    CHECK(seen.registers[REG_RDI] == (greg_t)((of_source ? data : near) + 16 * BEFORE));
    /* It went on where it was, and the result is the same. */
    CHECK(call.count == 0 && !memcmp(of_source ? data : near, expected, sizeof expected));
    munmap(edge - PAGE, 2 * PAGE);
}

/* As phe_sum by M. Ludvig: a count beyond the data, which end at a forbidden page; the handler leaves the instruction. */
static void skip(int signal, siginfo_t *information, void *context)
{
    note(signal, information, context);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 4;
}

static void unfinished_hash(void)
{
    static const uint32_t INITIAL[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    _Alignas(16) uint32_t state[32], whole[32];
    uint8_t *edge = border(), *data = edge - 10 * 64;
    seen.signals = 0;
    on(SIGSEGV, skip, 0);
    memcpy(whole, INITIAL, sizeof INITIAL);
    struct call call = { data, whole, 640, NULL, NULL, 0 };
    xsha1(&call);
    CHECK(seen.signals == 0);
    memcpy(state, INITIAL, sizeof INITIAL);
    call = (struct call){ data, state, 1 << 20, NULL, NULL, 0 };
    xsha1(&call);
    CHECK(seen.signals == 1 && seen.address == edge);
    CHECK(seen.registers[REG_RIP] == (greg_t)xsha1_instruction);
    CHECK(seen.registers[REG_RAX] == 640 && seen.registers[REG_RSI] == (greg_t)edge);
    /* Nothing but the padding is left. */
    call = (struct call){ edge, state, 640, NULL, NULL, 640 };
    xsha1(&call);
    CHECK(!memcmp(state, whole, sizeof INITIAL));
}

static sigjmp_buf back;

/* Runs into PadLock itself, and leaves by a jump. */
static void leave(int signal, siginfo_t *information, void *context)
{
    _Alignas(16) uint8_t data[16] = { 0 };
    note(signal, information, context);
    struct call call = aes(data, data, 1, NULL);
    xcryptecb(&call);
    siglongjmp(back, 1);
}

static void own_handlers(void)
{
    sigset_t mask;
    on(SIGSEGV, leave, 0);
    on(SIGILL, leave, SA_RESETHAND);
    on(SIGTRAP, leave, 0);
    seen.signals = 0;
    if (!sigsetjmp(back, 1))
        *(volatile int *)16 = 1;
    CHECK(seen.signals == 1 && seen.address == (uint8_t *)16 && seen.code == SEGV_MAPERR);
    if (!sigsetjmp(back, 1))
        asm volatile(".globl undefined\nundefined: ud2");
    extern const unsigned char undefined[];
    CHECK(seen.signals == 2 && seen.address == undefined);
    CHECK(seen.registers[REG_RIP] == (greg_t)undefined);
    struct sigaction action;
    CHECK(sigaction(SIGILL, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    if (!sigsetjmp(back, 1))
        asm volatile("int3");
    CHECK(seen.signals == 3);
    /* #GP, as of CPUID, but it is not CPUID. */
    if (!sigsetjmp(back, 1))
        asm volatile(".globl privileged\nprivileged: hlt");
    extern const unsigned char privileged[];
    CHECK(seen.signals == 4 && seen.code == SI_KERNEL && seen.address == NULL);
    CHECK(seen.registers[REG_RIP] == (greg_t)privileged);
    /* Sent by a process. */
    if (!sigsetjmp(back, 1))
        raise(SIGSEGV);
    CHECK(seen.signals == 5 && seen.code <= 0);
    /* The jumps brought back the mask. */
    CHECK(sigprocmask(SIG_SETMASK, NULL, &mask) == 0 && !sigismember(&mask, SIGUSR1));
    CHECK(signal(SIGSEGV, SIG_IGN) != SIG_ERR);
    raise(SIGSEGV);
    CHECK(signal(SIGSEGV, SIG_DFL) == SIG_IGN);
}

/* An address that no memory can have raises #GP, and has no page. */
static void not_canonical(void)
{
    on(SIGSEGV, leave, 0);
    seen.signals = 0;
    _Alignas(16) uint8_t data[16];
    struct call call = aes((void *)0x8000000000000000, data, 1, NULL);
    if (!sigsetjmp(back, 1))
        xcryptecb(&call);
    CHECK(seen.signals == 1 && seen.code == SI_KERNEL && seen.address == NULL);
    CHECK(seen.registers[REG_RIP] == (greg_t)xcryptecb_instruction);
    CHECK(seen.registers[REG_TRAPNO] == 13);
}

/* Beyond the end of a mapped file. */
static void beyond_end(void)
{
    FILE *file = tmpfile();
    CHECK(file && ftruncate(fileno(file), PAGE) == 0);
    uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fileno(file), 0);
    CHECK(pages != MAP_FAILED);
    on(SIGBUS, leave, 0);
    seen.signals = 0;
    _Alignas(16) uint8_t data[32];
    struct call call = aes(pages + PAGE - 16, data, 2, NULL);
    if (!sigsetjmp(back, 1))
        xcryptecb(&call);
    CHECK(seen.signals == 1 && seen.address == pages + PAGE && seen.code == BUS_ADRERR);
    CHECK(seen.registers[REG_RIP] == (greg_t)xcryptecb_instruction && seen.registers[REG_RCX] == 1);
}

/* A control word off its alignment: #GP in strict mode. */
static void misaligned(void)
{
    on(SIGSEGV, leave, 0);
    seen.signals = 0;
    _Alignas(16) uint8_t data[16], control[32] = { 0 };
    control[4] = 10;
    struct call call = { data, data, 1, KEY, control + 4, 0 };
    if (!sigsetjmp(back, 1))
        xcryptecb(&call);
    printf("%d %d %d %d\n", seen.signals, seen.code == SI_KERNEL, seen.address == NULL,
           seen.registers[REG_RIP] == (greg_t)xcryptecb_instruction);
}

/* An instruction that a C3 lacks. */
static void lacking(void)
{
    on(SIGILL, leave, 0);
    seen.signals = 0;
    _Alignas(16) uint8_t data[16], iv[16];
    struct call call = aes(data, data, 1, iv);
    if (!sigsetjmp(back, 1))
        xcryptctr(&call);
    printf("%d %d\n", seen.signals, seen.registers[REG_RIP] == (greg_t)xcryptctr_instruction);
}

/* Ends by the fault. */
static void fatal(void)
{
    _Alignas(16) uint8_t data[32];
    CHECK(signal(SIGSEGV, SIG_IGN) != SIG_ERR);
    struct call call = aes(data, border() - 16, 2, NULL);
    xcryptecb(&call);
}

static void nothing(int signal)
{
    (void)signal;
}

/* Whether a signal fits on an alternate stack of this size. */
static int fits(uint8_t *low, size_t size)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        stack_t stack = { .ss_sp = low, .ss_size = size };
        struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_ONSTACK };
        CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
        raise(SIGUSR1);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status);
}

/* An alternate stack on which a signal just fits, and so many bytes more. AT_MINSIGSTKSZ is far more on a CPU with AMX, whose state is not saved for
   a program that has not asked for it. */
static void narrow(size_t more)
{
    size_t guard = 16 * PAGE, room = 16 * PAGE;
    uint8_t *low = mmap(NULL, guard + room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(low != MAP_FAILED && mprotect(low, guard, PROT_NONE) == 0);
    /* The kernel takes none of less (asm/signal.h, MINSIGSTKSZ), though a CPU without AVX-512 needs fewer. */
    size_t size = 2048;
    while (!fits(low + guard, size))
        size += 64;
    stack_t stack = { .ss_sp = low + guard, .ss_size = size + more };
    CHECK(sigaltstack(&stack, NULL) == 0);
    uint32_t answer[4];
    cpuid(0, answer);
    _Alignas(16) uint8_t data[16];
    struct call call = aes(data, data, 1, NULL);
    xcryptecb(&call);
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    if (!strcmp(arguments[1], "pages")) {
        for (int turn = 0; turn < 2; turn++) {
            source_and_destination(1, 0);
            source_and_destination(0, 0);
            /* A block lies across the border. */
            source_and_destination(1, 8);
            source_and_destination(0, 8);
        }
        unfinished_hash();
        beyond_end();
    } else if (!strcmp(arguments[1], "handlers")) {
        own_handlers();
        not_canonical();
    } else if (!strcmp(arguments[1], "misaligned")) {
        misaligned();
    } else if (!strcmp(arguments[1], "lacking")) {
        lacking();
    } else if (!strcmp(arguments[1], "fatal")) {
        fatal();
    } else if (!strcmp(arguments[1], "narrow")) {
        narrow(0);
    } else if (!strcmp(arguments[1], "enough")) {
        narrow(4096);
    } else {
        CHECK(!"a case of this name");
    }
    return 0;
}
