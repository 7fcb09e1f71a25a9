/*
 * montgomery: products by OpenSSL's bn_mul_mont_padlock (crypto/bn/asm/via-mont.pl), a 32-bit function.
 * Each record of standard input is the number of words, -1/M mod 2^32, and the words of A, B and M, least
 * significant first; the words of the product go to standard output.
 */
#include <stdint.h>
#include <stdio.h>

int bn_mul_mont_padlock(uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *, int);

int main(void)
{
    enum { LARGEST = 1024 };
    static uint32_t a[LARGEST], b[LARGEST], modulus[LARGEST], product[LARGEST], head[2];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        uint32_t words = head[0];
        if (words > LARGEST || fread(a, 4, words, stdin) != words || fread(b, 4, words, stdin) != words ||
            fread(modulus, 4, words, stdin) != words)
            return 99;
        /* It says 0 where PadLock cannot serve the size. */
        if (bn_mul_mont_padlock(product, a, b, modulus, &head[1], (int)words) != 1)
            return 98;
        fwrite(product, 4, words, stdout);
    }
    return 0;
}
