/* PadLock's instructions as functions, and a check that tells where it failed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

/* The registers of an instruction; `count` is RCX. */
struct call {
    const void *source;
    void *destination;
    size_t count;
    const void *key;
    const void *control;
    uintptr_t rax;
};

/* One instruction each, behind a label: places that are known by name. */
#define INSTRUCTION(name, bytes)                                               \
    extern const unsigned char name##_instruction[];                           \
    __attribute__((noinline, unused)) static void name(struct call *call)              \
    {                                                                          \
        asm volatile(".globl " #name "_instruction\n" #name                    \
                     "_instruction: .byte " bytes                              \
                     : "+S"(call->source), "+D"(call->destination),            \
                       "+c"(call->count), "+a"(call->rax)                      \
                     : "b"(call->key), "d"(call->control)                      \
                     : "memory", "cc");                                        \
    }

INSTRUCTION(xcryptecb, "0xf3, 0x0f, 0xa7, 0xc8")
INSTRUCTION(xcryptcbc, "0xf3, 0x0f, 0xa7, 0xd0")
INSTRUCTION(xcryptctr, "0xf3, 0x0f, 0xa7, 0xd8")
INSTRUCTION(xcryptcfb, "0xf3, 0x0f, 0xa7, 0xe0")
INSTRUCTION(xcryptofb, "0xf3, 0x0f, 0xa7, 0xe8")
INSTRUCTION(xsha1, "0xf3, 0x0f, 0xa6, 0xc8")
INSTRUCTION(xsha512, "0xf3, 0x0f, 0xa6, 0xe0")

enum { DECRYPT = 0x200 };

/* CPUID's answer: EAX, EBX, ECX, EDX. */
static inline void cpuid(uint32_t leaf, uint32_t answer[4])
{
    asm volatile("cpuid"
                 : "=a"(answer[0]), "=b"(answer[1]), "=c"(answer[2]), "=d"(answer[3])
                 : "a"(leaf), "c"(0));
}

/* The vendor in leaf 0. */
static inline const char *vendor(char text[13])
{
    uint32_t answer[4];
    cpuid(0, answer);
    memcpy(text, &answer[1], 4);
    memcpy(text + 4, &answer[3], 4);
    memcpy(text + 8, &answer[2], 4);
    text[12] = 0;
    return text;
}

/* The control word for a raw key of so many bits. */
static inline uint32_t control_word(int bits, int direction)
{
    int size = (bits - 128) / 64;
    return (10 + 2 * size) | direction | size << 10;
}

static _Alignas(16) const uint8_t KEY[32] = "0123456789abcdefFEDCBA9876543210";
static _Alignas(16) const uint32_t AES_128[4] = { 0x00a };

/* A call of an instruction of AES-128 with KEY. */
static inline struct call aes(const void *source, void *destination, size_t blocks, void *iv)
{
    return (struct call){ source, destination, blocks, KEY, AES_128, (uintptr_t)iv };
}
