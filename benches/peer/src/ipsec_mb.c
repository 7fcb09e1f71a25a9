/* Many messages at once by Intel's multi-buffer library, behind three functions of our own: its manager is a
 * structure whose layout only its header knows. */
#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

enum work { AES_128_CBC, SHA1_HASH, SHA256_HASH, SHA512_HASH, HMAC_MD5, AES_128_GCM };

struct peer {
    IMB_MGR *manager;
    enum work work;
    DECLARE_ALIGNED(uint32_t encryption[15 * 4], 16);
    DECLARE_ALIGNED(uint32_t decryption[15 * 4], 16);
    DECLARE_ALIGNED(struct gcm_key_data gcm, 64);
    DECLARE_ALIGNED(uint8_t inner[16], 16);
    DECLARE_ALIGNED(uint8_t outer[16], 16);
    IMB_JOB jobs[IMB_MAX_BURST_SIZE];
};

/* What HMAC begins with: the state after one block of the key and a pad (RFC 2104, section 4). */
static void begin_hmac(IMB_MGR *manager, const uint8_t *key, uint8_t pad, uint8_t *state)
{
    uint8_t block[64];
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (i < 16 ? key[i] : 0) ^ pad;
    IMB_MD5_ONE_BLOCK(manager, block, state);
}

void *peer_open(int work, const uint8_t *key)
{
    struct peer *peer = NULL;
    if (posix_memalign((void **)&peer, 64, sizeof *peer) != 0)
        return NULL;
    memset(peer, 0, sizeof *peer);
    peer->work = work;
    peer->manager = alloc_mb_mgr(0);
    if (peer->manager == NULL) {
        free(peer);
        return NULL;
    }
    init_mb_mgr_auto(peer->manager, NULL);
    IMB_AES_KEYEXP_128(peer->manager, key, peer->encryption, peer->decryption);
    IMB_AES128_GCM_PRE(peer->manager, key, &peer->gcm);
    begin_hmac(peer->manager, key, 0x36, peer->inner);
    begin_hmac(peer->manager, key, 0x5c, peer->outer);
    return peer;
}

static void describe(struct peer *peer, IMB_JOB *job, const uint8_t *input, uint8_t *output,
                     size_t bytes, const uint8_t *iv, uint8_t *tag)
{
    static const IMB_HASH_ALG hashes[] = { IMB_AUTH_NULL, IMB_AUTH_SHA_1, IMB_AUTH_SHA_256,
                                           IMB_AUTH_SHA_512, IMB_AUTH_MD5 };
    static const uint64_t tag_bytes[] = { 0, 20, 32, 64, 12 };

    job->src = input;
    job->chain_order = peer->work == AES_128_CBC ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->hash_alg = hashes[peer->work];
    job->status = IMB_STATUS_BEING_PROCESSED;
    if (peer->work == AES_128_CBC) {
        job->cipher_mode = IMB_CIPHER_CBC;
        job->dst = output;
        job->enc_keys = peer->encryption;
        job->dec_keys = peer->decryption;
        job->key_len_in_bytes = 16;
        job->iv = iv;
        job->iv_len_in_bytes = 16;
        job->cipher_start_src_offset_in_bytes = 0;
        job->msg_len_to_cipher_in_bytes = bytes;
        return;
    }
    job->cipher_mode = IMB_CIPHER_NULL;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = bytes;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = tag_bytes[peer->work];
    job->u.HMAC._hashed_auth_key_xor_ipad = peer->inner;
    job->u.HMAC._hashed_auth_key_xor_opad = peer->outer;
}

/* Messages of so many bytes each; how many were done. Tags have room for 64 bytes. */
size_t peer_run(void *opaque, size_t count, const uint8_t *const *inputs, uint8_t *const *outputs,
                size_t bytes, const uint8_t *iv, uint8_t *const *tags)
{
    struct peer *peer = opaque;
    IMB_MGR *manager = peer->manager;
    IMB_JOB *burst[IMB_MAX_BURST_SIZE];
    size_t done = 0;

    if (count > IMB_MAX_BURST_SIZE)
        return 0;
    switch (peer->work) {
    case AES_128_GCM:
        for (; done < count; done++) {
            struct gcm_context_data context;
            IMB_AES128_GCM_ENC(manager, &peer->gcm, &context, outputs[done], inputs[done], bytes, iv,
                               NULL, 0, tags[done], 16);
        }
        return done;
    case AES_128_CBC:
        for (size_t i = 0; i < count; i++)
            describe(peer, &peer->jobs[i], inputs[i], outputs[i], bytes, iv, NULL);
        return IMB_SUBMIT_CIPHER_BURST_NOCHECK(manager, peer->jobs, count, IMB_CIPHER_CBC,
                                               IMB_DIR_ENCRYPT, IMB_KEY_128_BYTES);
    default:
        if (IMB_GET_NEXT_BURST(manager, count, burst) < count)
            return 0;
        for (size_t i = 0; i < count; i++) {
            describe(peer, burst[i], inputs[i], NULL, bytes, NULL, tags[i]);
        }
        done = IMB_SUBMIT_BURST_NOCHECK(manager, count, burst);
        if (done < count)
            done += IMB_FLUSH_BURST(manager, count - done, burst);
        return done;
    }
}

void peer_close(void *opaque)
{
    struct peer *peer = opaque;
    free_mb_mgr(peer->manager);
    free(peer);
}

const char *peer_version(void)
{
    return imb_get_version_str();
}
