/* wirespeed.h: many independent messages hashed, encrypted or sealed at once.
 *
 * One call takes an array of jobs and runs them side by side in the lanes of the CPU's vectors. That is
 * several times faster than one after another wherever a message by itself leaves the CPU waiting: hashes,
 * HMAC, and the encryption of CBC, CFB and OFB. GCM leaves little idle as it is, and is here for those who
 * have many packets: one call seals or opens them all.
 *
 * Ownership. What a wirespeed_..._new gives is the caller's, and goes back through the matching
 * wirespeed_..._free, which wipes it; freeing NULL does nothing. A key knows nothing of the handle that it
 * was made with, and may outlive it. Memory that a job points to is the caller's; a call reads and writes it
 * until it returns, and keeps no pointer.
 *
 * Memory. Input and output of a job are the same bytes, or do not overlap. No output overlaps any other job's
 * memory. Nothing beside what a job names is read or written. A pointer may be NULL where its length is 0.
 * Buffers of one size are fastest a cache line more than a power of two apart: at like places of their pages
 * many of them share few places of the first cache.
 *
 * Threads. Any number of threads may use the same handle or key at once, as long as none frees it. A call
 * starts no thread, and works on the caller's stack and heap.
 *
 * Errors. A call that cannot do all it is asked for says so before it touches any job: arguments are checked
 * first. The one exception is a packet whose tag is wrong; see wirespeed_open_all. No call prints anything.
 * Memory that cannot be had is WIRESPEED_NO_MEMORY, except for the few bytes a job that are needed to sort
 * jobs of different lengths: without those the process is ended, as by abort().
 */
#ifndef WIRESPEED_H
#define WIRESPEED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. A library of the same major version, and of no lower minor version, serves it;
 * below 1.0 the minor version must be the same. */
#define WIRESPEED_VERSION_MAJOR 0
#define WIRESPEED_VERSION_MINOR 1
#define WIRESPEED_VERSION_PATCH 0
#define WIRESPEED_VERSION_NUMBER \
    ((uint32_t)(WIRESPEED_VERSION_MAJOR << 16 | WIRESPEED_VERSION_MINOR << 8 | WIRESPEED_VERSION_PATCH))

/* WIRESPEED_VERSION_NUMBER of the library that is loaded. */
uint32_t wirespeed_version_number(void);

/* What became of a call, or of a packet. */
typedef int32_t wirespeed_status;
#define WIRESPEED_OK 0
/* No such algorithm or route; see the functions that take their names. */
#define WIRESPEED_UNKNOWN_NAME 1
/* The route is known, but this CPU does not have it, or it does not have the algorithm. */
#define WIRESPEED_ABSENT 2
/* The route's own test came out wrong on this machine: it is not used. */
#define WIRESPEED_WRONG_RESULT 3
/* A NULL pointer where there must be none. */
#define WIRESPEED_NULL 4
/* A key of a length that the algorithm does not have. */
#define WIRESPEED_KEY_LENGTH 5
/* A key that was made for another algorithm. */
#define WIRESPEED_OTHER_KEY 6
/* A length that the algorithm does not take: CBC takes whole blocks of 16 bytes, GCM at most 2^36 - 32 bytes,
 * an IV of 1 byte or more, and a tag of 4 to 16 bytes. */
#define WIRESPEED_LENGTH 7
/* Input and output overlap, but are not the same. */
#define WIRESPEED_OVERLAP 8
/* A packet whose tag is wrong: it was forged or damaged. */
#define WIRESPEED_FORGED 9
/* No memory. */
#define WIRESPEED_NO_MEMORY 10
/* A fault of this library; its outputs are worthless. */
#define WIRESPEED_FAULT 11

/* A status in English: one line, never NULL, not to be freed. */
const char *wirespeed_message(wirespeed_status status);

/* ---- Hashes ---------------------------------------------------------------------------------------------
 * Algorithms: MD5 SHA1 SHA2-224 SHA2-256 SHA2-384 SHA2-512.
 * Routes: avx512 avx2 sse2 neon portable; NULL is the best one here. */

typedef struct wirespeed_hash wirespeed_hash;

wirespeed_status wirespeed_hash_new(const char *algorithm, const char *route, wirespeed_hash **hash);
void wirespeed_hash_free(wirespeed_hash *hash);
/* Bytes of a hash. */
size_t wirespeed_hash_bytes(const wirespeed_hash *hash);
/* The route in use; not to be freed. */
const char *wirespeed_hash_route(const wirespeed_hash *hash);

/* A message, and where its hash goes: wirespeed_hash_bytes bytes. */
typedef struct wirespeed_hash_job {
    const void *data;
    size_t length;
    void *result;
} wirespeed_hash_job;

wirespeed_status wirespeed_hash_all(const wirespeed_hash *hash, const wirespeed_hash_job *jobs, size_t count);

/* ---- HMAC, RFC 2104 ------------------------------------------------------------------------------------- */

typedef struct wirespeed_hmac_key wirespeed_hmac_key;

/* A key of any length, for HMAC with this hash. */
wirespeed_status wirespeed_hmac_key_new(const wirespeed_hash *hash, const void *bytes, size_t length,
                                        wirespeed_hmac_key **key);
void wirespeed_hmac_key_free(wirespeed_hmac_key *key);

/* A message, its key, and where its MAC goes: wirespeed_hash_bytes bytes. */
typedef struct wirespeed_hmac_job {
    const wirespeed_hmac_key *key;
    const void *data;
    size_t length;
    void *result;
} wirespeed_hmac_job;

wirespeed_status wirespeed_hmac_all(const wirespeed_hash *hash, const wirespeed_hmac_job *jobs, size_t count);

/* ---- Encryption by CBC, CFB and OFB ---------------------------------------------------------------------
 * Algorithms: AES-128-CBC AES-128-CFB AES-128-OFB, the same with 192 and 256, and with SM4 (SM4-CBC),
 * CAMELLIA-128 to CAMELLIA-256 and ARIA-128 to ARIA-256. Routes: vaes512 vaes256 gfni512 gfni256 aesni avx2
 * ssse3 sse2 sm4-ce aes-ce neon portable; NULL is the best one here. Decryption needs no lanes: a stream by itself already fills them, and
 * libcrypto is the place for it. OFB's decryption is its encryption. */

typedef struct wirespeed_cipher wirespeed_cipher;
typedef struct wirespeed_cipher_key wirespeed_cipher_key;

wirespeed_status wirespeed_cipher_new(const char *algorithm, const char *route, wirespeed_cipher **cipher);
void wirespeed_cipher_free(wirespeed_cipher *cipher);
const char *wirespeed_cipher_route(const wirespeed_cipher *cipher);

wirespeed_status wirespeed_cipher_key_new(const wirespeed_cipher *cipher, const void *bytes, size_t length,
                                          wirespeed_cipher_key **key);
void wirespeed_cipher_key_free(wirespeed_cipher_key *key);

/* A piece of a stream. Its IV moves on, so that the next piece can follow, unless a piece of CFB or OFB ended
 * within a block. Jobs that share a key do so by its pointer. */
typedef struct wirespeed_cipher_job {
    const wirespeed_cipher_key *key;
    uint8_t iv[16];
    const void *input;
    void *output;
    size_t length;
} wirespeed_cipher_job;

wirespeed_status wirespeed_encrypt_all(const wirespeed_cipher *cipher, wirespeed_cipher_job *jobs,
                                       size_t count);

/* ---- GCM, SP 800-38D ------------------------------------------------------------------------------------
 * Algorithms: AES-128-GCM, the same with 192 and 256, with ARIA, and SM4-GCM. Routes as above; NULL is the
 * best one here. */

typedef struct wirespeed_gcm wirespeed_gcm;
typedef struct wirespeed_gcm_key wirespeed_gcm_key;

wirespeed_status wirespeed_gcm_new(const char *algorithm, const char *route, wirespeed_gcm **gcm);
void wirespeed_gcm_free(wirespeed_gcm *gcm);
const char *wirespeed_gcm_route(const wirespeed_gcm *gcm);

wirespeed_status wirespeed_gcm_key_new(const wirespeed_gcm *gcm, const void *bytes, size_t length,
                                       wirespeed_gcm_key **key);
void wirespeed_gcm_key_free(wirespeed_gcm_key *key);

/* A packet. Never seal two packets with the same key and IV. */
typedef struct wirespeed_packet {
    const wirespeed_gcm_key *key;
    /* 12 bytes are usual, and fast. */
    const void *iv;
    size_t iv_length;
    /* What is authenticated, but not encrypted. */
    const void *aad;
    size_t aad_length;
    const void *input;
    void *output;
    size_t length;
    /* Sealing writes it; opening compares it. 4 to 16 bytes, and not fewer than 12 without need. */
    void *tag;
    size_t tag_length;
    /* Written by both calls once the arguments of all packets have been found good. */
    wirespeed_status status;
} wirespeed_packet;

/* Encrypts every packet, and writes its tag. */
wirespeed_status wirespeed_seal_all(const wirespeed_gcm *gcm, wirespeed_packet *packets, size_t count);

/* Decrypts every packet, and compares its tag. WIRESPEED_FORGED if any was wrong: those packets have that
 * status, and zeros for output; all others are good. */
wirespeed_status wirespeed_open_all(const wirespeed_gcm *gcm, wirespeed_packet *packets, size_t count);

#ifdef __cplusplus
}
#endif

#endif
