// SPDX-License-Identifier: GPL-2.0
/*
 * wirespeed_faults: drivers of cbc(aes) and sha1 that go wrong when told to, for tests.
 *
 * They compute in software, and rightly when they are loaded: the kernel's self-tests pass, as they do with hardware
 * that breaks later. From then on parameters make them fail, or give wrong bytes, at every Nth request.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "faults.h"

int priority = 50;
module_param(priority, int, 0444);
MODULE_PARM_DESC(priority, "of both drivers; above 400 they are who serves the algorithms' own names");

struct fault cipher_wrong, cipher_failing, hash_wrong, hash_failing;
int cipher_error = EIO;

static atomic_t struck;

bool strikes(struct fault *fault)
{
	unsigned int every = READ_ONCE(fault->every);

	if (!every || atomic_inc_return(&fault->requests) % every)
		return false;
	atomic_inc(&struck);
	return true;
}

module_param_named(cipher_wrong, cipher_wrong.every, uint, 0644);
MODULE_PARM_DESC(cipher_wrong, "each Nth request of cbc(aes) gives one wrong bit; 0: none");
module_param_named(cipher_failing, cipher_failing.every, uint, 0644);
MODULE_PARM_DESC(cipher_failing, "each Nth request of cbc(aes) fails; 0: none");
module_param(cipher_error, int, 0644);
MODULE_PARM_DESC(cipher_error, "what it fails with: 5 is EIO, 16 is EBUSY");
module_param_named(hash_wrong, hash_wrong.every, uint, 0644);
MODULE_PARM_DESC(hash_wrong, "each Nth digest of sha1 has one wrong bit; 0: none");
module_param_named(hash_failing, hash_failing.every, uint, 0644);
MODULE_PARM_DESC(hash_failing, "each Nth digest of sha1 fails with EIO; 0: none");
module_param_named(struck, struck.counter, int, 0444);
MODULE_PARM_DESC(struck, "how many requests went wrong so far");

static int __init faults_init(void)
{
	int error = register_cipher();

	if (error)
		return error;
	error = register_hash();
	if (error)
		unregister_cipher();
	return error;
}

static void __exit faults_exit(void)
{
	unregister_hash();
	unregister_cipher();
}

module_init(faults_init);
module_exit(faults_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Drivers of cbc(aes) and sha1 that go wrong when told to, for tests");
