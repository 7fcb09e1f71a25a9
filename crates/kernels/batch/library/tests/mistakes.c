/* Every mistake that the border must find, before it touches anything. */
#include <stdio.h>
#include <string.h>

#include <wirespeed.h>

static int wrong = 0;

static void expect(int line, wirespeed_status wanted, wirespeed_status got) {
    if (wanted != got) {
        fprintf(stderr, "line %d: %d wanted, %d: %s\n", line, (int)wanted, (int)got, wirespeed_message(got));
        wrong = 1;
    }
}
#define EXPECT(wanted, call) expect(__LINE__, wanted, call)

static void hashes(void) {
    wirespeed_hash *md5 = NULL, *hash = NULL;
    wirespeed_hmac_key *key = NULL;
    unsigned char result[64], before[64];
    wirespeed_hash_job job;
    wirespeed_hmac_job mac;
    EXPECT(WIRESPEED_UNKNOWN_NAME, wirespeed_hash_new("SHA2-257", NULL, &hash));
    EXPECT(WIRESPEED_UNKNOWN_NAME, wirespeed_hash_new("\xff\xfe", NULL, &hash));
    EXPECT(WIRESPEED_UNKNOWN_NAME, wirespeed_hash_new("MD5", "fastest", &hash));
    EXPECT(WIRESPEED_ABSENT, wirespeed_hash_new("MD5", "vaes512", &hash));
    EXPECT(WIRESPEED_NULL, wirespeed_hash_new(NULL, NULL, &hash));
    EXPECT(WIRESPEED_NULL, wirespeed_hash_new("MD5", NULL, NULL));
    if (hash != NULL)
        wrong = 1;
    EXPECT(WIRESPEED_OK, wirespeed_hash_new("MD5", "portable", &md5));
    EXPECT(WIRESPEED_OK, wirespeed_hash_new("SHA2-512", NULL, &hash));
    if (wirespeed_hash_bytes(hash) != 64 || wirespeed_hash_bytes(NULL) != 0 ||
        strcmp(wirespeed_hash_route(md5), "portable") != 0 || wirespeed_hash_route(NULL) != NULL)
        wrong = 1;
    memset(result, 0x5a, sizeof result);
    memcpy(before, result, sizeof before);
    job.data = NULL;
    job.length = 1;
    job.result = result;
    EXPECT(WIRESPEED_NULL, wirespeed_hash_all(hash, &job, 1));
    EXPECT(WIRESPEED_NULL, wirespeed_hash_all(NULL, &job, 1));
    EXPECT(WIRESPEED_NULL, wirespeed_hash_all(hash, NULL, 1));
    EXPECT(WIRESPEED_LENGTH, wirespeed_hash_all(hash, &job, SIZE_MAX / 2));
    job.data = before;
    job.length = SIZE_MAX;
    EXPECT(WIRESPEED_LENGTH, wirespeed_hash_all(hash, &job, 1));
    job.length = 1;
    job.result = NULL;
    EXPECT(WIRESPEED_NULL, wirespeed_hash_all(hash, &job, 1));
    EXPECT(WIRESPEED_OK, wirespeed_hash_all(hash, NULL, 0));
    EXPECT(WIRESPEED_NULL, wirespeed_hmac_key_new(hash, NULL, 3, &key));
    EXPECT(WIRESPEED_OK, wirespeed_hmac_key_new(hash, NULL, 0, &key));
    mac.key = key;
    mac.data = NULL;
    mac.length = 0;
    mac.result = result;
    EXPECT(WIRESPEED_OTHER_KEY, wirespeed_hmac_all(md5, &mac, 1));
    mac.key = NULL;
    EXPECT(WIRESPEED_NULL, wirespeed_hmac_all(hash, &mac, 1));
    if (memcmp(result, before, sizeof result) != 0)
        wrong = 1;
    mac.key = key;
    EXPECT(WIRESPEED_OK, wirespeed_hmac_all(hash, &mac, 1));
    wirespeed_hmac_key_free(key);
    wirespeed_hmac_key_free(NULL);
    wirespeed_hash_free(md5);
    wirespeed_hash_free(hash);
    wirespeed_hash_free(NULL);
}

static void ciphers(void) {
    wirespeed_cipher *cbc = NULL, *ofb = NULL, *large = NULL;
    wirespeed_cipher_key *key = NULL;
    wirespeed_cipher_job job;
    unsigned char bytes[64], before[64];
    EXPECT(WIRESPEED_UNKNOWN_NAME, wirespeed_cipher_new("AES-128-CTR", NULL, &cbc));
    EXPECT(WIRESPEED_ABSENT, wirespeed_cipher_new("AES-128-CBC", "sha-ni", &cbc));
    EXPECT(WIRESPEED_OK, wirespeed_cipher_new("AES-128-CBC", NULL, &cbc));
    EXPECT(WIRESPEED_OK, wirespeed_cipher_new("AES-128-OFB", "portable", &ofb));
    EXPECT(WIRESPEED_OK, wirespeed_cipher_new("AES-256-CBC", NULL, &large));
    EXPECT(WIRESPEED_KEY_LENGTH, wirespeed_cipher_key_new(cbc, "12345678", 8, &key));
    EXPECT(WIRESPEED_OK, wirespeed_cipher_key_new(cbc, "0123456789abcdef", 16, &key));
    memset(bytes, 0x5a, sizeof bytes);
    memcpy(before, bytes, sizeof before);
    memset(&job, 0, sizeof job);
    job.key = key;
    job.input = bytes;
    job.output = bytes;
    job.length = 17;
    EXPECT(WIRESPEED_LENGTH, wirespeed_encrypt_all(cbc, &job, 1));
    job.length = 16;
    EXPECT(WIRESPEED_OTHER_KEY, wirespeed_encrypt_all(large, &job, 1));
    job.output = bytes + 15;
    EXPECT(WIRESPEED_OVERLAP, wirespeed_encrypt_all(cbc, &job, 1));
    job.output = NULL;
    EXPECT(WIRESPEED_NULL, wirespeed_encrypt_all(cbc, &job, 1));
    if (memcmp(bytes, before, sizeof bytes) != 0)
        wrong = 1;
    job.output = bytes + 16;
    EXPECT(WIRESPEED_OK, wirespeed_encrypt_all(cbc, &job, 1));
    job.length = 5;
    EXPECT(WIRESPEED_OVERLAP, (job.output = bytes + 1, wirespeed_encrypt_all(ofb, &job, 1)));
    job.output = bytes;
    EXPECT(WIRESPEED_OK, wirespeed_encrypt_all(ofb, &job, 1));
    wirespeed_cipher_key_free(key);
    wirespeed_cipher_free(cbc);
    wirespeed_cipher_free(ofb);
    wirespeed_cipher_free(large);
}

static void packets(void) {
    wirespeed_gcm *gcm = NULL;
    wirespeed_gcm_key *key = NULL;
    wirespeed_packet packet;
    unsigned char tag[16], before[16];
    EXPECT(WIRESPEED_UNKNOWN_NAME, wirespeed_gcm_new("AES-128-CBC", NULL, &gcm));
    EXPECT(WIRESPEED_OK, wirespeed_gcm_new("AES-128-GCM", NULL, &gcm));
    EXPECT(WIRESPEED_KEY_LENGTH, wirespeed_gcm_key_new(gcm, "1234", 4, &key));
    EXPECT(WIRESPEED_OK, wirespeed_gcm_key_new(gcm, "0123456789abcdef", 16, &key));
    memset(tag, 0x5a, sizeof tag);
    memcpy(before, tag, sizeof before);
    memset(&packet, 0, sizeof packet);
    packet.key = key;
    packet.iv = "123456789012";
    packet.tag = tag;
    packet.tag_length = 16;
    EXPECT(WIRESPEED_LENGTH, wirespeed_seal_all(gcm, &packet, 1));
    packet.iv_length = 12;
    packet.tag_length = 17;
    EXPECT(WIRESPEED_LENGTH, wirespeed_seal_all(gcm, &packet, 1));
    packet.tag_length = 16;
    packet.length = 1;
    EXPECT(WIRESPEED_NULL, wirespeed_seal_all(gcm, &packet, 1));
    if (memcmp(tag, before, sizeof tag) != 0)
        wrong = 1;
    packet.length = 0;
    EXPECT(WIRESPEED_OK, wirespeed_seal_all(gcm, &packet, 1));
    EXPECT(WIRESPEED_OK, wirespeed_open_all(gcm, &packet, 1));
    tag[15] ^= 1;
    EXPECT(WIRESPEED_FORGED, wirespeed_open_all(gcm, &packet, 1));
    EXPECT(WIRESPEED_FORGED, packet.status);
    wirespeed_gcm_key_free(key);
    wirespeed_gcm_free(gcm);
}

int main(void) {
    hashes();
    ciphers();
    packets();
    for (wirespeed_status status = -1; status < 13; status++)
        if (strlen(wirespeed_message(status)) == 0)
            wrong = 1;
    return wrong;
}
