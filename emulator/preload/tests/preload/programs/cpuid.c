/* cpuid LIBRARY: CPUID in the program, in a library that is loaded late, twice, and where the kernel lets it fault. */
#define _GNU_SOURCE
#include "padlock.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void in_library(const char *file)
{
    void *library = dlopen(file, RTLD_NOW);
    CHECK(library);
    const char *seen = dlsym(library, "seen_by_constructor");
    CHECK(seen);
    printf("constructor %s\n", seen);
    CHECK(dlclose(library) == 0);
}

/* What the kernel does at a CPUID that faults: SIGSEGV, SI_KERNEL, no address, at its bytes. They stand where no scanner sees them, and
 * the signal is sent by the system call before them, which leaves EAX = 0. */
static void faulting(void)
{
    static const uint8_t CODE[] = {
        0x53,                         /* push %rbx */
        0x49, 0x89, 0xca,             /* mov %rcx, %r10 */
        0x4d, 0x89, 0xc1,             /* mov %r8, %r9 */
        0xb8, 0x29, 0x01, 0x00, 0x00, /* mov $SYS_rt_tgsigqueueinfo, %eax */
        0x0f, 0x05,                   /* syscall */
        0x0f, 0xa2,                   /* cpuid */
        0x41, 0x89, 0x19,             /* mov %ebx, (%r9) */
        0x41, 0x89, 0x51, 0x04,       /* mov %edx, 4(%r9) */
        0x41, 0x89, 0x49, 0x08,       /* mov %ecx, 8(%r9) */
        0x5b,                         /* pop %rbx */
        0xc3,                         /* ret */
    };
    CHECK(SYS_rt_tgsigqueueinfo == 0x129);
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    memcpy(code, CODE, sizeof CODE);
    siginfo_t information = { .si_signo = SIGSEGV, .si_code = SI_KERNEL };
    char text[13] = "";
    errno = 12345;
    ((void (*)(long, long, long, siginfo_t *, char *))code)(getpid(), gettid(), SIGSEGV, &information, text);
    CHECK(errno == 12345);
    printf("faulting %s\n", text);
}

int main(int count, char **arguments)
{
    char text[13];
    uint32_t answer[4];
    CHECK(count == 2);
    printf("program %s\n", vendor(text));
    cpuid(0xc0000001, answer);
    printf("units %x\n", answer[3]);
    cpuid(1, answer);
    printf("aesni %d\n", answer[2] >> 25 & 1);
    in_library(arguments[1]);
    in_library(arguments[1]);
    faulting();
    return 0;
}
