// SPDX-License-Identifier: GPL-2.0
/* sha1 by the kernel's own generic code, up to the digest. */
#include <crypto/internal/hash.h>
#include <crypto/sha1.h>
#include <crypto/sha1_base.h>
#include <linux/module.h>

#include "faults.h"

static int finup(struct shash_desc *desc, const u8 *data, unsigned int bytes, u8 *digest)
{
	int error;

	if (strikes(&hash_failing))
		return -EIO;
	error = crypto_sha1_finup(desc, data, bytes, digest);
	if (strikes(&hash_wrong))
		digest[0] ^= 1;
	return error;
}

static int final(struct shash_desc *desc, u8 *digest)
{
	return finup(desc, NULL, 0, digest);
}

static struct shash_alg driver = {
	.digestsize = SHA1_DIGEST_SIZE,
	.descsize = sizeof(struct sha1_state),
	.init = sha1_base_init,
	.update = crypto_sha1_update,
	.final = final,
	.finup = finup,
	.base.cra_name = "sha1",
	.base.cra_driver_name = "sha1-faults",
	.base.cra_blocksize = SHA1_BLOCK_SIZE,
	.base.cra_module = THIS_MODULE,
};

int register_hash(void)
{
	driver.base.cra_priority = priority;
	return crypto_register_shash(&driver);
}

void unregister_hash(void)
{
	crypto_unregister_shash(&driver);
}
