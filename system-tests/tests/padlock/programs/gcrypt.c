/* gcrypt encrypt|decrypt MODE BITS: standard input to standard output by libgcrypt, in uneven pieces. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What we need of libgcrypt, whose header is not needed for it (gcrypt.h). */
typedef struct handle_st *handle;
const char *gcry_check_version(const char *);
unsigned gcry_cipher_open(handle *, int, int, unsigned);
unsigned gcry_cipher_setkey(handle, const void *, size_t);
unsigned gcry_cipher_setiv(handle, const void *, size_t);
unsigned gcry_cipher_setctr(handle, const void *, size_t);
unsigned gcry_cipher_encrypt(handle, void *, size_t, const void *, size_t);
unsigned gcry_cipher_decrypt(handle, void *, size_t, const void *, size_t);

static const uint8_t KEY[32] = "0123456789abcdefFEDCBA9876543210";
static const uint8_t IV[16] = "\x46\x45\x44\x43\x42\x41\x39\x38\x37\x36\x35\x34\xff\xff\xff\xf1";
/* GCRY_CIPHER_MODE_ECB, _CFB, _CBC, _OFB, _CTR; GCRY_CIPHER_AES128, 192, 256 are 7, 8, 9. */
static const struct { const char *name; int number; } MODES[] = {
    { "ecb", 1 }, { "cfb", 2 }, { "cbc", 3 }, { "ofb", 5 }, { "ctr", 6 },
};

int main(int count, char **arguments)
{
    enum { LARGEST = 1 << 20, PIECE = 313 * 16 };
    static uint8_t data[LARGEST], result[LARGEST];
    handle handle;
    int mode = 0;
    if (count != 4 || !gcry_check_version(NULL))
        return 99;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (!strcmp(MODES[i].name, arguments[2]))
            mode = MODES[i].number;
    int bits = atoi(arguments[3]), encrypts = !strcmp(arguments[1], "encrypt");
    if (gcry_cipher_open(&handle, 7 + (bits - 128) / 64, mode, 0) || gcry_cipher_setkey(handle, KEY, bits / 8))
        return 98;
    if (mode == 6 ? gcry_cipher_setctr(handle, IV, 16) : gcry_cipher_setiv(handle, IV, 16))
        return 97;
    size_t length = fread(data, 1, LARGEST, stdin);
    for (size_t at = 0; at < length; at += PIECE) {
        size_t now = length - at < PIECE ? length - at : PIECE;
        if (encrypts ? gcry_cipher_encrypt(handle, result + at, now, data + at, now)
                     : gcry_cipher_decrypt(handle, result + at, now, data + at, now))
            return 96;
    }
    return fwrite(result, 1, length, stdout) != length;
}
