/* gnutls encrypt|decrypt cbc BITS: standard input to standard output by GnuTLS, in uneven pieces. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What we need of GnuTLS, whose headers are not needed for it (gnutls/crypto.h). */
typedef struct { void *data; unsigned size; } datum;
typedef struct cipher_st *cipher;
int gnutls_cipher_get_id(const char *);
int gnutls_cipher_init(cipher *, int, const datum *, const datum *);
int gnutls_cipher_encrypt2(cipher, const void *, size_t, void *, size_t);
int gnutls_cipher_decrypt2(cipher, const void *, size_t, void *, size_t);
void gnutls_cipher_deinit(cipher);

static uint8_t KEY[32] = "0123456789abcdefFEDCBA9876543210";
static uint8_t IV[16] = "\x46\x45\x44\x43\x42\x41\x39\x38\x37\x36\x35\x34\xff\xff\xff\xf1";

int main(int count, char **arguments)
{
    enum { LARGEST = 1 << 20, PIECE = 313 * 16 };
    static uint8_t data[LARGEST], result[LARGEST];
    char name[32];
    if (count != 4)
        return 99;
    int bits = atoi(arguments[3]), encrypts = !strcmp(arguments[1], "encrypt");
    snprintf(name, sizeof name, "AES-%d-%s", bits, strcmp(arguments[2], "cbc") ? arguments[2] : "CBC");
    datum key = { KEY, bits / 8 }, iv = { IV, sizeof IV };
    cipher cipher;
    if (gnutls_cipher_init(&cipher, gnutls_cipher_get_id(name), &key, &iv) < 0)
        return 98;
    size_t length = fread(data, 1, LARGEST, stdin);
    for (size_t at = 0; at < length; at += PIECE) {
        size_t now = length - at < PIECE ? length - at : PIECE;
        int failed = encrypts ? gnutls_cipher_encrypt2(cipher, data + at, now, result + at, now)
                              : gnutls_cipher_decrypt2(cipher, data + at, now, result + at, now);
        if (failed < 0)
            return 97;
    }
    gnutls_cipher_deinit(cipher);
    return fwrite(result, 1, length, stdout) != length;
}
