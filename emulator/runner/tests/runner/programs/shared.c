/* shared CMD…: asks CPUID in code that it shares with whoever has the file, where a tracer cannot write, and becomes CMD. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* push %rbx; xor %eax, %eax; cpuid; mov %ebx, %eax; pop %rbx; ret */
static const uint8_t code[] = { 0x53, 0x31, 0xc0, 0x0f, 0xa2, 0x89, 0xd8, 0x5b, 0xc3 };

int main(int count, char **arguments)
{
    (void)count;
    int file = memfd_create("code", 0);
    if (file < 0 || write(file, code, sizeof code) != sizeof code)
        return 97;
    void *mapped = mmap(0, sizeof code, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        return 98;
    ((uint32_t (*)(void))mapped)();
    execvp(arguments[1], arguments + 1);
    return 99;
}
