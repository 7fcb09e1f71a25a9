/* As the first article does it: one block of AES-128 by XCRYPT-ECB, and whether it is what FIPS 197 says (appendix C.1). */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Alignas(16) uint8_t data[16] = "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff";
static _Alignas(16) const uint8_t key[16] = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f";
static const uint8_t expected[16] = "\x69\xc4\xe0\xd8\x6a\x7b\x04\x30\xd8\xcd\xb7\x80\x70\xb4\xc5\x5a";
static _Alignas(16) const uint32_t control_word[4] = { 10 };

int main(void)
{
    const void *source = data;
    void *destination = data;
    size_t blocks = 1;
    /* Writing the flags makes PadLock load the key; then rep xcryptecb. */
    __asm__ volatile("pushf\n\tpopf\n\tcld\n\t.byte 0xf3, 0x0f, 0xa7, 0xc8"
                     : "+S"(source), "+D"(destination), "+c"(blocks)
                     : "b"(key), "d"(control_word)
                     : "memory", "cc");
    for (int i = 0; i < 16; i++)
        printf("%02x", data[i]);
    printf("\n");
    return blocks != 0 || source != data + 16 || destination != data + 16 || memcmp(data, expected, 16);
}
