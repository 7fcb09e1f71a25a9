// SPDX-License-Identifier: GPL-2.0
/*
 * cbc(aes) as an offload engine does it: a request is queued, carried out elsewhere and completed later.
 *
 * That matters for errors, too. crypto_wait_req() takes -EBUSY from a driver's entry for "queued behind others"; only as
 * the completion of a request does it mean that the engine refused.
 */
#include <crypto/aes.h>
#include <crypto/algapi.h>
#include <crypto/internal/skcipher.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "faults.h"

struct job {
	struct work_struct work;
	struct skcipher_request *request;
	bool encrypting;
};

static int set_key(struct crypto_skcipher *cipher, const u8 *key, unsigned int bytes)
{
	return aes_expandkey(crypto_skcipher_ctx(cipher), key, bytes);
}

static void encrypt(const struct crypto_aes_ctx *key, u8 *chain, u8 *to, const u8 *from)
{
	crypto_xor(chain, from, AES_BLOCK_SIZE);
	aes_encrypt(key, chain, chain);
	memcpy(to, chain, AES_BLOCK_SIZE);
}

static void decrypt(const struct crypto_aes_ctx *key, u8 *chain, u8 *to, const u8 *from)
{
	u8 next[AES_BLOCK_SIZE];

	memcpy(next, from, AES_BLOCK_SIZE);
	aes_decrypt(key, to, from);
	crypto_xor(to, chain, AES_BLOCK_SIZE);
	memcpy(chain, next, AES_BLOCK_SIZE);
}

static int crypt(struct skcipher_request *request, bool encrypting)
{
	const struct crypto_aes_ctx *key = crypto_skcipher_ctx(crypto_skcipher_reqtfm(request));
	struct skcipher_walk walk;
	bool wrong;
	int error;

	if (strikes(&cipher_failing))
		return -cipher_error;
	wrong = strikes(&cipher_wrong);
	error = skcipher_walk_virt(&walk, request, false);
	while (walk.nbytes) {
		const u8 *from = walk.src.virt.addr;
		u8 *to = walk.dst.virt.addr;
		unsigned int left = walk.nbytes;

		for (; left >= AES_BLOCK_SIZE; left -= AES_BLOCK_SIZE) {
			(encrypting ? encrypt : decrypt)(key, walk.iv, to, from);
			if (wrong)
				to[0] ^= 1;
			wrong = false;
			from += AES_BLOCK_SIZE;
			to += AES_BLOCK_SIZE;
		}
		error = skcipher_walk_done(&walk, left);
	}
	return error;
}

static void carry_out(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);
	int error = crypt(job->request, job->encrypting);

	/* Completions run where interrupts of an engine would run them. */
	local_bh_disable();
	skcipher_request_complete(job->request, error);
	local_bh_enable();
}

static int queue(struct skcipher_request *request, bool encrypting)
{
	struct job *job = skcipher_request_ctx(request);

	job->request = request;
	job->encrypting = encrypting;
	INIT_WORK(&job->work, carry_out);
	schedule_work(&job->work);
	return -EINPROGRESS;
}

static int queue_encryption(struct skcipher_request *request)
{
	return queue(request, true);
}

static int queue_decryption(struct skcipher_request *request)
{
	return queue(request, false);
}

static int init(struct crypto_skcipher *cipher)
{
	crypto_skcipher_set_reqsize(cipher, sizeof(struct job));
	return 0;
}

static struct skcipher_alg driver = {
	.base.cra_name = "cbc(aes)",
	.base.cra_driver_name = "cbc-aes-faults",
	.base.cra_flags = CRYPTO_ALG_ASYNC,
	.base.cra_blocksize = AES_BLOCK_SIZE,
	.base.cra_ctxsize = sizeof(struct crypto_aes_ctx),
	.base.cra_module = THIS_MODULE,
	.min_keysize = AES_MIN_KEY_SIZE,
	.max_keysize = AES_MAX_KEY_SIZE,
	.ivsize = AES_BLOCK_SIZE,
	.init = init,
	.setkey = set_key,
	.encrypt = queue_encryption,
	.decrypt = queue_decryption,
};

int register_cipher(void)
{
	driver.base.cra_priority = priority;
	return crypto_register_skcipher(&driver);
}

void unregister_cipher(void)
{
	crypto_unregister_skcipher(&driver);
}
