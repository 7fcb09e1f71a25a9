// SPDX-License-Identifier: GPL-2.0
/* xcrypt: AES over memory, in five modes. emulator/core/src/xcrypt.rs cites where each rule comes from. */
#include <linux/minmax.h>
#include <linux/string.h>

#include "aes.h"
#include "emulator.h"

/* The control word. */
#define ROUNDS(control) ((control) & 15)
#define DIGEST BIT(4)
#define KEY_IS_EXPANDED BIT(7)
#define INTERMEDIATE BIT(8)
#define DECRYPT BIT(9)
/* 0, 1, 2 for 128, 192, 256 bits; 3 is reserved and taken for 2. */
#define KEY_BYTES(control) (16 + 8 * min((control) >> 10 & 3, 2U))

static bool is_chained(enum operation mode)
{
	return mode != XCRYPT_ECB;
}

/* The others use the cipher as a generator, both ways. */
static bool is_inverted(enum operation mode, u32 control)
{
	return control & DECRYPT && (mode == XCRYPT_ECB || mode == XCRYPT_CBC);
}

/*
 * CBC and CFB encryption point RAX to their last block of output, and do not write to the IV. All others store
 * what the next block needs at RAX.
 */
static bool chain_is_output(enum operation mode, u32 control)
{
	return !(control & DECRYPT) && (mode == XCRYPT_CBC || mode == XCRYPT_CFB);
}

static enum outcome read_key(struct machine *machine, enum operation mode, u32 control,
			     struct aes_key *key)
{
	unsigned long at = machine->regs->bx;
	enum outcome outcome;
	u8 bytes[32];

	key->rounds = ROUNDS(control);
	key->intermediate = control & INTERMEDIATE;
	if (control & KEY_IS_EXPANDED)
		return read_memory(machine, key->round_keys, at, 16 * (key->rounds + 1));
	outcome = read_memory(machine, bytes, at, KEY_BYTES(control));
	if (outcome == DONE)
		aes_expand(key, bytes, KEY_BYTES(control), is_inverted(mode, control));
	memzero_explicit(bytes, sizeof(bytes));
	return outcome;
}

static void add(u8 *block, const u8 *other)
{
	for (int byte = 0; byte < BLOCK_BYTES; byte++)
		block[byte] ^= other[byte];
}

static void count_up(u8 *counter)
{
	/* Only 16 bits count. */
	if (!++counter[15])
		counter[14]++;
}

static void crypt_block(const struct aes_key *key, enum operation mode, u32 control, u8 *block,
			u8 *chain)
{
	bool decrypt = control & DECRYPT;
	u8 input[BLOCK_BYTES], stream[BLOCK_BYTES];

	memcpy(input, block, sizeof(input));
	switch (mode) {
	case XCRYPT_CBC:
		if (decrypt) {
			aes_decrypt_block(key, block);
			add(block, chain);
		} else {
			add(block, chain);
			aes_encrypt_block(key, block);
		}
		memcpy(chain, decrypt ? input : block, BLOCK_BYTES);
		break;
	case XCRYPT_CTR:
		memcpy(stream, chain, sizeof(stream));
		aes_encrypt_block(key, stream);
		add(block, stream);
		count_up(chain);
		break;
	case XCRYPT_CFB:
		aes_encrypt_block(key, chain);
		add(block, chain);
		memcpy(chain, decrypt ? input : block, BLOCK_BYTES);
		break;
	case XCRYPT_OFB:
		aes_encrypt_block(key, chain);
		add(block, chain);
		break;
	default:
		if (decrypt)
			aes_decrypt_block(key, block);
		else
			aes_encrypt_block(key, block);
	}
}

/* Takes blocks from RSI to RDI and moves both and RCX, as far as memory and interrupts allow. */
static enum outcome crypt_blocks(struct machine *machine, const struct aes_key *key,
				 enum operation mode, u32 control, u8 *chain, unsigned long *done)
{
	struct pt_regs *regs = machine->regs;
	unsigned long total = cut(machine, regs->cx), allowed = allowed_units(total);
	enum outcome outcome = DONE;
	u8 block[BLOCK_BYTES], next[BLOCK_BYTES];

	for (*done = 0; *done < allowed; ++*done) {
		outcome = read_memory(machine, block, regs->si, sizeof(block));
		if (outcome != DONE)
			break;
		memcpy(next, chain, sizeof(next));
		crypt_block(key, mode, control, block, next);
		outcome = write_memory(machine, regs->di, block, sizeof(block));
		if (outcome != DONE)
			break;
		memcpy(chain, next, sizeof(next));
		regs->si = cut(machine, regs->si + BLOCK_BYTES);
		/* A digest is the last block, which all write to the same place. */
		if (!(control & DIGEST))
			regs->di = cut(machine, regs->di + BLOCK_BYTES);
		regs->cx = cut(machine, regs->cx - 1);
	}
	atomic_long_add(*done, &xcrypt_blocks);
	return outcome == DONE && *done < total ? INTERRUPTED : outcome;
}

static enum outcome crypt(struct machine *machine, const struct aes_key *key, enum operation mode,
			  u32 control)
{
	struct pt_regs *regs = machine->regs;
	bool is_output = chain_is_output(mode, control);
	u8 chain[BLOCK_BYTES] = {};
	enum outcome outcome, stored;
	unsigned long done;

	if (is_chained(mode)) {
		outcome = read_memory(machine, chain, regs->ax, sizeof(chain));
		/* What cannot be stored at the end faults before anything is done. */
		if (outcome == DONE && !is_output)
			outcome = write_memory(machine, regs->ax, chain, sizeof(chain));
		if (outcome != DONE)
			return outcome;
	}
	outcome = crypt_blocks(machine, key, mode, control, chain, &done);
	if (!done || !is_chained(mode))
		return outcome;
	if (is_output) {
		regs->ax = cut(machine, control & DIGEST ? regs->di : regs->di - BLOCK_BYTES);
		return outcome;
	}
	stored = write_memory(machine, regs->ax, chain, sizeof(chain));
	return stored == DONE ? outcome : stored;
}

enum outcome run_xcrypt(struct machine *machine, enum operation mode)
{
	struct aes_key key;
	enum outcome outcome;
	u32 control;

	if (!cut(machine, machine->regs->cx))
		return DONE;
	outcome = read_memory(machine, &control, machine->regs->dx, sizeof(control));
	if (outcome == DONE)
		outcome = read_key(machine, mode, control, &key);
	if (outcome == DONE)
		outcome = crypt(machine, &key, mode, control);
	memzero_explicit(&key, sizeof(key));
	return outcome;
}
