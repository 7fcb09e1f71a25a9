/* SPDX-License-Identifier: GPL-2.0 */
/* AES (FIPS 197), with what PadLock lets one choose. */
#ifndef PADLOCK_EMULATOR_AES_H
#define PADLOCK_EMULATOR_AES_H

#include <linux/types.h>

/* As many rounds as the control word can ask for, and one key more. */
#define MOST_ROUND_KEYS 16

/* Round keys in order of use; for decryption those of the equivalent inverse cipher (section 5.3.5). */
struct aes_key {
	u8 round_keys[MOST_ROUND_KEYS][16];
	unsigned int rounds;
	/* The last round is one like all others, not the final one. */
	bool intermediate;
};

void aes_make_tables(void);
void aes_expand(struct aes_key *key, const u8 *bytes, unsigned int count, bool invert);
void aes_encrypt_block(const struct aes_key *key, u8 *block);
void aes_decrypt_block(const struct aes_key *key, u8 *block);

#endif
