/*
 * A client of libcrypto's EVP, as programs are: its ciphers come from the engine "padlock", or from whatever
 * provider the configuration prefers.
 *
 *     evp equals                 the engine against libcrypto's own code: every mode, key and many sizes
 *     evp encrypt|decrypt engine|provider MODE BITS    standard input to standard output, in uneven pieces
 *     evp calls engine|provider MODE BITS              one call of each size, each between two CPUIDs
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What we need of libcrypto, whose headers are not needed for it (openssl/evp.h, openssl/engine.h). */
typedef struct engine_st ENGINE;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
int OPENSSL_init_crypto(uint64_t, const void *);
ENGINE *ENGINE_by_id(const char *);
int ENGINE_init(ENGINE *);
const EVP_CIPHER *EVP_get_cipherbyname(const char *);
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
int EVP_CIPHER_CTX_reset(EVP_CIPHER_CTX *);
int EVP_CIPHER_CTX_set_padding(EVP_CIPHER_CTX *, int);
int EVP_CipherInit_ex(EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const uint8_t *, const uint8_t *, int);
int EVP_CipherUpdate(EVP_CIPHER_CTX *, uint8_t *, int *, const uint8_t *, int);
int EVP_CipherFinal_ex(EVP_CIPHER_CTX *, uint8_t *, int *);

enum { INIT_ENGINE_DYNAMIC = 0x400, LARGEST = 1 << 20, ROOM = LARGEST + 64 };

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static const char *const MODES[] = { "ecb", "cbc", "cfb", "ofb", "ctr" };
/* A counter that is about to carry out of its last 16 bits. */
static const uint8_t KEY[32] = "0123456789abcdefFEDCBA9876543210";
static const uint8_t IV[16] = "\x46\x45\x44\x43\x42\x41\x39\x38\x37\x36\x35\x34\xff\xff\xff\xf1";
static EVP_CIPHER_CTX *context;

static ENGINE *engine(void)
{
    CHECK(OPENSSL_init_crypto(INIT_ENGINE_DYNAMIC, NULL) == 1);
    ENGINE *padlock = ENGINE_by_id("padlock");
    CHECK(padlock && ENGINE_init(padlock) == 1);
    return padlock;
}

static ENGINE *implementation(const char *name)
{
    return strcmp(name, "engine") ? NULL : engine();
}

static void start(ENGINE *from, const char *mode, int bits, int encrypt)
{
    char name[32];
    snprintf(name, sizeof name, "aes-%d-%s", bits, mode);
    const EVP_CIPHER *cipher = EVP_get_cipherbyname(name);
    CHECK(cipher && EVP_CIPHER_CTX_reset(context) == 1);
    CHECK(EVP_CipherInit_ex(context, cipher, from, KEY, IV, encrypt) == 1);
}

/* Pieces of the size `piece`, at first and last of what remains; the length of the result. */
static size_t run(const uint8_t *from, size_t length, uint8_t *to, size_t piece)
{
    size_t done = 0;
    int made;
    do {
        size_t now = length < piece ? length : piece;
        CHECK(EVP_CipherUpdate(context, to + done, &made, from, (int)now) == 1);
        done += made, from += now, length -= now;
    } while (length > 0);
    CHECK(EVP_CipherFinal_ex(context, to + done, &made) == 1);
    return done + made;
}

static void paint(uint8_t *bytes, size_t length)
{
    uint64_t state = 1;
    for (size_t at = 0; at < length; at++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[at] = state >> 56;
    }
}

static void one(ENGINE *padlock, const char *mode, int bits, size_t length, size_t offset, size_t piece)
{
    static uint8_t plain[ROOM], expected[ROOM], sealed[ROOM], opened[ROOM];
    static int painted;
    if (!painted++)
        paint(plain, ROOM);
    start(NULL, mode, bits, 1);
    size_t size = run(plain + offset, length, expected, LARGEST);
    start(padlock, mode, bits, 1);
    size_t got = run(plain + offset, length, sealed + offset, piece);
    int same = got == size && !memcmp(sealed + offset, expected, size);
    start(padlock, mode, bits, 0);
    got = run(sealed + offset, size, opened, piece);
    if (!same || got != length || memcmp(opened, plain + offset, length)) {
        printf("%s %d: %zu bytes at %zu in pieces of %zu: %s\n", mode, bits, length, offset, piece,
               same ? "not decrypted" : "not encrypted");
        exit(1);
    }
}

static void equals(void)
{
    static const size_t BORDERS[] = { 256, 512, 1024, 4096, 8192, 16384, 65536, LARGEST };
    static const int BESIDE[] = { -17, -1, 0, 1, 17 };
    ENGINE *padlock = engine();
    long cases = 0;
    for (int mode = 0; mode < 5; mode++)
        for (int bits = 128; bits <= 256; bits += 64) {
            for (size_t length = 1; length <= 70; length++, cases += 2) {
                one(padlock, MODES[mode], bits, length, 0, LARGEST);
                one(padlock, MODES[mode], bits, length, length % 15 + 1, 7);
            }
            for (size_t i = 0; i < sizeof BORDERS / sizeof *BORDERS; i++)
                for (size_t j = 0; j < sizeof BESIDE / sizeof *BESIDE; j++, cases++)
                    if (BORDERS[i] + BESIDE[j] <= LARGEST)
                        one(padlock, MODES[mode], bits, BORDERS[i] + BESIDE[j], j, 3001 + 1000 * (i & 1));
        }
    printf("%ld\n", cases);
}

static void filter(ENGINE *from, const char *mode, int bits, int encrypt)
{
    static uint8_t data[ROOM], result[ROOM];
    size_t length = fread(data, 1, LARGEST, stdin);
    start(from, mode, bits, encrypt);
    length = run(data, length, result, 5003);
    CHECK(fwrite(result, 1, length, stdout) == length);
}

/* In a trace it shows where one call ends and the next one begins. */
__attribute__((noinline)) static void mark(void)
{
    uint32_t a = 0, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    CHECK(a | b | c | d);
}

static void calls(ENGINE *from, const char *mode, int bits)
{
    static const size_t SIZES[] = { 16, 64, 256, 1024, 8192, 16384 };
    static _Alignas(64) uint8_t source[16384 + 64], destination[16384 + 64];
    int made;
    for (size_t offset = 0; offset < 2; offset++)
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            start(from, mode, bits, 1);
            CHECK(EVP_CIPHER_CTX_set_padding(context, 0) == 1);
            /* The first call may be special: a key is loaded. */
            CHECK(EVP_CipherUpdate(context, destination, &made, source, 16) == 1);
            mark();
            CHECK(EVP_CipherUpdate(context, destination + offset, &made, source + offset, (int)SIZES[i]) == 1);
            mark();
            CHECK((size_t)made == SIZES[i]);
            printf("%zu %zu %p %p\n", SIZES[i], offset, (void *)(source + offset), (void *)(destination + offset));
        }
}

int main(int count, char **arguments)
{
    context = EVP_CIPHER_CTX_new();
    CHECK(context && count > 1);
    if (!strcmp(arguments[1], "equals")) {
        equals();
        return 0;
    }
    CHECK(count == 5);
    ENGINE *from = implementation(arguments[2]);
    int bits = atoi(arguments[4]);
    if (!strcmp(arguments[1], "calls"))
        calls(from, arguments[3], bits);
    else
        filter(from, arguments[3], bits, !strcmp(arguments[1], "encrypt"));
    return 0;
}
