// SPDX-License-Identifier: GPL-2.0
/*
 * AES (FIPS 197) for any number of rounds. The kernel's own takes its number from the size of the key and
 * cannot stop before the final round. Time depends on the data: this is no cipher to keep secrets with.
 */
#include <linux/bitops.h>
#include <linux/string.h>

#include "aes.h"

static u8 substitution[256], inverse_substitution[256];

static u8 product(u8 one, u8 other)
{
	u8 sum = 0;

	for (; other; other >>= 1) {
		if (other & 1)
			sum ^= one;
		one = one << 1 ^ (one & 0x80 ? 0x1b : 0);
	}
	return sum;
}

/* 3 generates the field and F6h is its inverse: together they meet every element with its inverse. */
void aes_make_tables(void)
{
	u8 element = 1, inverse = 1;

	substitution[0] = 0x63;
	do {
		substitution[element] = inverse ^ rol8(inverse, 1) ^ rol8(inverse, 2) ^
					rol8(inverse, 3) ^ rol8(inverse, 4) ^ 0x63;
		element = product(element, 3);
		inverse = product(inverse, 0xf6);
	} while (element != 1);
	for (int byte = 0; byte < 256; byte++)
		inverse_substitution[substitution[byte]] = byte;
}

/* Twice each of four bytes in the field. */
static u32 doubled(u32 word)
{
	return (word & 0x7f7f7f7f) << 1 ^ (word >> 7 & 0x01010101) * 0x1b;
}

/* MixColumns on one column, whose first byte is the lowest. */
static u32 mix(u32 column)
{
	u32 twice = doubled(column);

	/* Row 0 is 2a + 3b + c + d. */
	return twice ^ ror32(column ^ twice, 8) ^ ror32(column, 16) ^ ror32(column, 24);
}

/* InvMixColumns is MixColumns after a matrix of 5, 0, 4, 0. */
static u32 unmix(u32 column)
{
	u32 fourfold = doubled(doubled(column));

	return mix(column ^ fourfold ^ ror32(fourfold, 16));
}

static u32 word_at(const u8 *bytes)
{
	u32 word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* `step` is how many columns ShiftRows moves row 1 by: 1, or 3 to undo that. */
static void run(const struct aes_key *key, u8 *block, const u8 *table, int step,
		u32 (*mix_columns)(u32))
{
	u8 shifted[16];

	for (int byte = 0; byte < 16; byte++)
		block[byte] ^= key->round_keys[0][byte];
	for (unsigned int round = 1; round <= key->rounds; round++) {
		bool final = round == key->rounds && !key->intermediate;

		for (int byte = 0; byte < 16; byte++)
			shifted[byte] = table[block[(byte + 4 * step * (byte & 3)) & 15]];
		for (int at = 0; at < 16; at += 4) {
			u32 column = word_at(shifted + at);

			column = final ? column : mix_columns(column);
			column ^= word_at(key->round_keys[round] + at);
			memcpy(block + at, &column, sizeof(column));
		}
	}
}

void aes_encrypt_block(const struct aes_key *key, u8 *block)
{
	run(key, block, substitution, 1, mix);
}

void aes_decrypt_block(const struct aes_key *key, u8 *block)
{
	run(key, block, inverse_substitution, 3, unmix);
}

/* Section 5.2, for as many rounds as the key says. */
void aes_expand(struct aes_key *key, const u8 *bytes, unsigned int count, bool invert)
{
	u8 *words = (u8 *)key->round_keys;
	unsigned int end = 16 * (key->rounds + 1);
	u8 constant = 1, word[4];

	memcpy(words, bytes, count);
	for (unsigned int at = count; at < end; at += 4) {
		memcpy(word, words + at - 4, sizeof(word));
		if (at % count == 0) {
			u8 first = word[0];

			for (int byte = 0; byte < 4; byte++)
				word[byte] = substitution[byte < 3 ? word[byte + 1] : first];
			word[0] ^= constant;
			constant = product(constant, 2);
		} else if (count > 24 && at % count == 16) {
			for (int byte = 0; byte < 4; byte++)
				word[byte] = substitution[word[byte]];
		}
		for (int byte = 0; byte < 4; byte++)
			words[at + byte] = words[at - count + byte] ^ word[byte];
	}
	if (!invert)
		return;
	for (unsigned int round = 0; round <= key->rounds / 2; round++) {
		u8 other[16];

		memcpy(other, key->round_keys[round], sizeof(other));
		memmove(key->round_keys[round], key->round_keys[key->rounds - round], sizeof(other));
		memcpy(key->round_keys[key->rounds - round], other, sizeof(other));
	}
	for (unsigned int at = 16; at + 16 < end; at += 4) {
		u32 column = unmix(word_at(words + at));

		memcpy(words + at, &column, sizeof(column));
	}
}
