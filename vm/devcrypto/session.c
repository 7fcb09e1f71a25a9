// SPDX-License-Identifier: GPL-2.0
/* A key, and what is computed with it: by whatever driver the kernel gives for the name. */
#include <crypto/hash.h>
#include <crypto/skcipher.h>
#include <linux/err.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "devcrypto.h"

enum { LONGEST_KEY = 512, LONGEST_CALL = 1 << 20 };

static const struct {
	__u32 number;
	const char *name;
} ciphers[] = {
	{ 1, "cbc(des)" }, { 2, "cbc(des3_ede)" }, { 3, "cbc(blowfish)" }, { 11, "cbc(aes)" }, { 21, "ctr(aes)" }, { 23, "ecb(aes)" }, { 24, "cfb(aes)" }, { 25, "ofb(aes)" }, { 101, "cbc(camellia)" },
}, hashes[] = {
	{ 6, "hmac(md5)" }, { 7, "hmac(sha1)" }, { 8, "hmac(rmd160)" }, { 13, "md5" }, { 14, "sha1" },
	{ 18, "hmac(sha256)" }, { 19, "hmac(sha384)" }, { 20, "hmac(sha512)" }, { 102, "rmd160" }, { 103, "sha224" },
	{ 104, "sha256" }, { 105, "sha384" }, { 106, "sha512" }, { 107, "hmac(sha224)" },
};

#define NAME_OF(table, wanted)							\
({										\
	const char *name = NULL;						\
	for (int at = 0; at < ARRAY_SIZE(table); at++)				\
		if (table[at].number == (wanted))				\
			name = table[at].name;					\
	name;									\
})

static int key_cipher(struct session *session, const char *name, const u8 *key, unsigned int bytes)
{
	session->cipher = crypto_alloc_skcipher(name, 0, 0);
	if (IS_ERR(session->cipher)) {
		session->cipher = NULL;
		return -EINVAL;
	}
	return crypto_skcipher_setkey(session->cipher, key, bytes) ? -EINVAL : 0;
}

static int key_hash(struct session *session, const char *name, const u8 *key, unsigned int bytes)
{
	struct crypto_shash *hash = crypto_alloc_shash(name, 0, 0);

	if (IS_ERR(hash))
		return -EINVAL;
	session->hash = kzalloc(sizeof(*session->hash) + crypto_shash_descsize(hash), GFP_KERNEL);
	if (!session->hash) {
		crypto_free_shash(hash);
		return -ENOMEM;
	}
	session->hash->tfm = hash;
	if (name[0] == 'h' && crypto_shash_setkey(hash, key, bytes))
		return -EINVAL;
	return crypto_shash_init(session->hash);
}

struct session *make_session(const struct new_session *wanted)
{
	const char *cipher = NAME_OF(ciphers, wanted->cipher), *hash = NAME_OF(hashes, wanted->mac);
	unsigned int bytes = cipher ? wanted->key_bytes : wanted->mac_key_bytes;
	void __user *from = (void __user *)(cipher ? wanted->key : wanted->mac_key);
	struct session *session;
	u8 *key;
	int error;

	if ((!cipher && !hash) || bytes > LONGEST_KEY)
		return ERR_PTR(-EINVAL);
	key = kzalloc(LONGEST_KEY, GFP_KERNEL);
	session = kzalloc(sizeof(*session), GFP_KERNEL);
	error = key && session ? 0 : -ENOMEM;
	if (!error && copy_from_user(key, from, bytes))
		error = -EFAULT;
	if (!error)
		error = cipher ? key_cipher(session, cipher, key, bytes) : key_hash(session, hash, key, bytes);
	kfree_sensitive(key);
	if (error) {
		end_session(session);
		return ERR_PTR(error);
	}
	session->number = get_random_u32();
	return session;
}

void end_session(struct session *session)
{
	if (!session)
		return;
	if (session->hash) {
		crypto_free_shash(session->hash->tfm);
		kfree_sensitive(session->hash);
	}
	crypto_free_skcipher(session->cipher);
	kfree(session);
}

static int crypt(struct session *session, const struct call *call, u8 *data)
{
	struct skcipher_request *request;
	DECLARE_CRYPTO_WAIT(wait);
	struct scatterlist list;
	u8 iv[16] = {};
	int error;

	if (call->bytes % crypto_skcipher_blocksize(session->cipher))
		return -EINVAL;
	if (call->iv && copy_from_user(iv, (void __user *)call->iv, crypto_skcipher_ivsize(session->cipher)))
		return -EFAULT;
	request = skcipher_request_alloc(session->cipher, GFP_KERNEL);
	if (!request)
		return -ENOMEM;
	sg_init_one(&list, data, call->bytes);
	skcipher_request_set_callback(request, CRYPTO_TFM_REQ_MAY_BACKLOG, crypto_req_done, &wait);
	skcipher_request_set_crypt(request, &list, &list, call->bytes, iv);
	error = crypto_wait_req(call->operation == DECRYPT ? crypto_skcipher_decrypt(request) :
				crypto_skcipher_encrypt(request), &wait);
	skcipher_request_free(request);
	if (!error && copy_to_user((void __user *)call->to, data, call->bytes))
		error = -EFAULT;
	return error;
}

static int hash(struct session *session, const struct call *call, const u8 *data)
{
	u8 digest[HASH_MAX_DIGESTSIZE];
	int error = 0;

	if (!call->flags || call->flags & RESET)
		error = crypto_shash_init(session->hash);
	if (!error && call->bytes)
		error = crypto_shash_update(session->hash, data, call->bytes);
	if (error || (call->flags & (UPDATE | FINAL)) == UPDATE)
		return error;
	error = crypto_shash_final(session->hash, digest);
	if (!error && copy_to_user((void __user *)call->digest, digest, crypto_shash_digestsize(session->hash->tfm)))
		error = -EFAULT;
	return error;
}

int run(struct session *session, const struct call *call)
{
	u8 *data;
	int error;

	if (call->bytes > LONGEST_CALL)
		return -EINVAL;
	data = kmalloc(call->bytes + 1, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	if (copy_from_user(data, (void __user *)call->from, call->bytes))
		error = -EFAULT;
	else
		error = session->cipher ? crypt(session, call, data) : hash(session, call, data);
	kfree_sensitive(data);
	return error;
}

int copy_state(struct session *to, struct session *from)
{
	void *state;
	int error;

	if (!to->hash || !from->hash)
		return -EINVAL;
	state = kzalloc(crypto_shash_statesize(from->hash->tfm), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	error = crypto_shash_export(from->hash, state) ?: crypto_shash_import(to->hash, state);
	kfree_sensitive(state);
	return error;
}

void describe(const struct session *session, struct session_info *info)
{
	const struct crypto_tfm *tfm = session->cipher ? crypto_skcipher_tfm(session->cipher) :
						       crypto_shash_tfm(session->hash->tfm);
	char (*names)[64] = session->cipher ? info->cipher : info->hash;

	strscpy(names[0], crypto_tfm_alg_name((void *)tfm), sizeof(names[0]));
	strscpy(names[1], crypto_tfm_alg_driver_name((void *)tfm), sizeof(names[1]));
	info->flags = !!(tfm->__crt_alg->cra_flags & CRYPTO_ALG_KERN_DRIVER_ONLY);
}
