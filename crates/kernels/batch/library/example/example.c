/* Hashes, encrypts and seals many messages at once, and checks what comes out.
 *
 *     cc -std=c11 example.c $(pkg-config --cflags --libs wirespeed) -o example
 *
 * It is C and C++ alike. */
#include <stdio.h>
#include <string.h>

#include <wirespeed.h>

enum { COUNT = 40, LONGEST = 1500 };

static unsigned char messages[COUNT][LONGEST];
static unsigned char outputs[COUNT][LONGEST];

/* Ends the program's part with the reason if a call did not do all it was asked for. */
static int failed(const char *what, wirespeed_status status) {
    if (status != WIRESPEED_OK)
        fprintf(stderr, "%s: %s\n", what, wirespeed_message(status));
    return status != WIRESPEED_OK;
}

static int hashes(void) {
    static const unsigned char abc[32] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
        0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    wirespeed_hash *hash = NULL;
    wirespeed_hmac_key *key = NULL;
    wirespeed_hash_job jobs[COUNT];
    wirespeed_hmac_job macs[COUNT];
    unsigned char results[COUNT][32];
    int bad = failed("hash", wirespeed_hash_new("SHA2-256", NULL, &hash));
    for (size_t i = 0; i < COUNT && !bad; i++) {
        jobs[i].data = i == 0 ? (const void *)"abc" : (const void *)messages[i];
        jobs[i].length = i == 0 ? 3 : 37 * i;
        jobs[i].result = results[i];
    }
    bad = bad || failed("hash", wirespeed_hash_all(hash, jobs, COUNT));
    bad = bad || memcmp(results[0], abc, sizeof abc) != 0;
    bad = bad || failed("HMAC key", wirespeed_hmac_key_new(hash, "key", 3, &key));
    for (size_t i = 0; i < COUNT && !bad; i++) {
        macs[i].key = key;
        macs[i].data = messages[i];
        macs[i].length = i;
        macs[i].result = results[i];
    }
    bad = bad || failed("HMAC", wirespeed_hmac_all(hash, macs, COUNT));
    if (!bad)
        printf("hashed by %s\n", wirespeed_hash_route(hash));
    wirespeed_hmac_key_free(key);
    wirespeed_hash_free(hash);
    return bad;
}

static int streams(void) {
    /* SP 800-38A, F.2.1: the first block of CBC-AES128.Encrypt. */
    static const unsigned char bytes[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                            0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
    static const unsigned char plain[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
                                            0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};
    static const unsigned char right[16] = {0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46,
                                            0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d};
    wirespeed_cipher *cipher = NULL;
    wirespeed_cipher_key *key = NULL;
    wirespeed_cipher_job jobs[COUNT];
    int bad = failed("cipher", wirespeed_cipher_new("AES-128-CBC", NULL, &cipher));
    bad = bad || failed("key", wirespeed_cipher_key_new(cipher, bytes, sizeof bytes, &key));
    memcpy(messages[0], plain, sizeof plain);
    for (size_t i = 0; i < COUNT && !bad; i++) {
        jobs[i].key = key;
        for (size_t byte = 0; byte < 16; byte++)
            jobs[i].iv[byte] = (uint8_t)(byte + i);
        jobs[i].input = messages[i];
        jobs[i].output = outputs[i];
        jobs[i].length = 16 * (1 + i % 90);
    }
    bad = bad || failed("encryption", wirespeed_encrypt_all(cipher, jobs, COUNT));
    bad = bad || memcmp(outputs[0], right, sizeof right) != 0;
    /* The IV moved on: it is the last block of ciphertext. */
    bad = bad || memcmp(jobs[0].iv, right, sizeof right) != 0;
    if (!bad)
        printf("encrypted by %s\n", wirespeed_cipher_route(cipher));
    wirespeed_cipher_key_free(key);
    wirespeed_cipher_free(cipher);
    return bad;
}

static int packets(void) {
    wirespeed_gcm *gcm = NULL;
    wirespeed_gcm_key *key = NULL;
    wirespeed_packet jobs[COUNT];
    unsigned char ivs[COUNT][12], tags[COUNT][16];
    int bad = failed("GCM", wirespeed_gcm_new("AES-256-GCM", NULL, &gcm));
    bad = bad || failed("key", wirespeed_gcm_key_new(gcm, "0123456789abcdef0123456789abcdef", 32, &key));
    memset(ivs, 0, sizeof ivs);
    for (size_t i = 0; i < COUNT && !bad; i++) {
        ivs[i][11] = (unsigned char)i;
        jobs[i].key = key;
        jobs[i].iv = ivs[i];
        jobs[i].iv_length = sizeof ivs[i];
        jobs[i].aad = "header";
        jobs[i].aad_length = 6;
        jobs[i].input = messages[i];
        jobs[i].output = outputs[i];
        jobs[i].length = 37 * i;
        jobs[i].tag = tags[i];
        jobs[i].tag_length = sizeof tags[i];
    }
    bad = bad || failed("seal", wirespeed_seal_all(gcm, jobs, COUNT));
    tags[7][0] ^= 1; /* somebody tampers with one packet */
    for (size_t i = 0; i < COUNT && !bad; i++)
        jobs[i].input = jobs[i].output; /* in place */
    bad = bad || wirespeed_open_all(gcm, jobs, COUNT) != WIRESPEED_FORGED;
    for (size_t i = 0; i < COUNT && !bad; i++) {
        static const unsigned char zeros[LONGEST] = {0};
        const unsigned char *wanted = i == 7 ? zeros : messages[i];
        bad = jobs[i].status != (i == 7 ? WIRESPEED_FORGED : WIRESPEED_OK) ||
              memcmp(outputs[i], wanted, jobs[i].length) != 0;
    }
    if (!bad)
        printf("sealed and opened by %s\n", wirespeed_gcm_route(gcm));
    wirespeed_gcm_key_free(key);
    wirespeed_gcm_free(gcm);
    return bad;
}

int main(void) {
    if (wirespeed_version_number() >> 8 != WIRESPEED_VERSION_NUMBER >> 8) {
        fprintf(stderr, "the library is not of this header's version\n");
        return 1;
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t byte = 0; byte < LONGEST; byte++)
            messages[i][byte] = (unsigned char)(i + 7 * byte);
    return hashes() || streams() || packets();
}
