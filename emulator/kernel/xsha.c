// SPDX-License-Identifier: GPL-2.0
/* xsha1 and xsha256: blocks, or a message that is padded. emulator/core/src/xsha.rs cites the rules. */
#include <crypto/sha1.h>
#include <crypto/sha2.h>
#include <linux/string.h>

#include "emulator.h"

#define HASH_BLOCK_BYTES 64
#define LENGTH_BYTES 8

struct hash {
	unsigned int state_bytes;
	void (*compress)(u32 *state, const u8 *blocks, unsigned int count);
};

static void compress_sha1(u32 *state, const u8 *blocks, unsigned int count)
{
	u32 workspace[SHA1_WORKSPACE_WORDS];

	for (; count; count--, blocks += HASH_BLOCK_BYTES)
		sha1_transform(state, blocks, workspace);
	memzero_explicit(workspace, sizeof(workspace));
}

static void compress_sha256(u32 *state, const u8 *blocks, unsigned int count)
{
	struct sha256_state context = {};

	memcpy(context.state, state, sizeof(context.state));
	sha256_update(&context, blocks, count * HASH_BLOCK_BYTES);
	memcpy(state, context.state, sizeof(context.state));
}

static const struct hash sha1_hash = { SHA1_DIGEST_SIZE, compress_sha1 };
static const struct hash sha256_hash = { SHA256_DIGEST_SIZE, compress_sha256 };

/* Hashes the end of a message, less than a block, with its padding (FIPS 180-4, section 5.1.1). */
static enum outcome hash_tail(struct machine *machine, const struct hash *hash, u32 *state,
			      unsigned long from, unsigned int count, unsigned long message_bytes)
{
	u8 padded[2 * HASH_BLOCK_BYTES] = {};
	unsigned int blocks = count + 1 + LENGTH_BYTES > HASH_BLOCK_BYTES ? 2 : 1;
	__be64 bits = cpu_to_be64(message_bytes * 8);
	enum outcome outcome = read_memory(machine, padded, from, count);

	if (outcome != DONE)
		return outcome;
	padded[count] = 0x80;
	memcpy(padded + blocks * HASH_BLOCK_BYTES - LENGTH_BYTES, &bits, LENGTH_BYTES);
	hash->compress(state, padded, blocks);
	return DONE;
}

/*
 * Hashes whole blocks from RSI, then the tail where there is one; moves RSI and says how many bytes it came.
 * One unit of work is a block or the tail.
 */
static enum outcome hash_units(struct machine *machine, const struct hash *hash,
			       unsigned long blocks, bool has_tail, unsigned int tail_bytes,
			       unsigned long *hashed)
{
	struct pt_regs *regs = machine->regs;
	unsigned long total = blocks + has_tail, allowed = allowed_units(total), done;
	u32 state[SHA256_DIGEST_SIZE / sizeof(u32)];
	u8 block[HASH_BLOCK_BYTES];
	enum outcome outcome, stored;

	*hashed = 0;
	outcome = read_memory(machine, state, regs->di, hash->state_bytes);
	/* What cannot be stored at the end faults before anything is done. */
	if (outcome == DONE)
		outcome = write_memory(machine, regs->di, state, hash->state_bytes);
	if (outcome != DONE)
		return outcome;
	for (done = 0; done < allowed; done++) {
		unsigned long from = regs->si + *hashed;

		if (done == blocks) {
			outcome = hash_tail(machine, hash, state, from, tail_bytes,
					    cut(machine, regs->cx));
			if (outcome != DONE)
				break;
			*hashed += tail_bytes;
			continue;
		}
		outcome = read_memory(machine, block, from, sizeof(block));
		if (outcome != DONE)
			break;
		hash->compress(state, block, 1);
		*hashed += sizeof(block);
	}
	atomic_long_add(done, &xsha_blocks);
	if (outcome == DONE && done < total)
		outcome = INTERRUPTED;
	if (!done)
		return outcome;
	/* A register that does not change keeps what is beyond the width of addresses. */
	if (*hashed)
		regs->si = cut(machine, regs->si + *hashed);
	stored = write_memory(machine, regs->di, state, hash->state_bytes);
	return stored == DONE ? outcome : stored;
}

/* RAX = -1, which C7 and before do not know: RCX blocks without padding. */
static enum outcome run_blocks(struct machine *machine, const struct hash *hash)
{
	struct pt_regs *regs = machine->regs;
	unsigned long total = cut(machine, regs->cx), hashed;
	enum outcome outcome;

	if (!total)
		return DONE;
	outcome = hash_units(machine, hash, total, false, 0, &hashed);
	if (hashed)
		regs->cx = total - hashed / HASH_BLOCK_BYTES;
	return outcome;
}

/* A message of RCX bytes, of which RAX are hashed already. RAX counts up to RCX, which stays. */
static enum outcome run_message(struct machine *machine, const struct hash *hash)
{
	struct pt_regs *regs = machine->regs;
	unsigned long total = cut(machine, regs->cx), before = cut(machine, regs->ax);
	unsigned long left = total > before ? total - before : 0, hashed;
	enum outcome outcome;

	outcome = hash_units(machine, hash, left / HASH_BLOCK_BYTES, true,
			     left % HASH_BLOCK_BYTES, &hashed);
	if (hashed)
		regs->ax = cut(machine, before + hashed);
	return outcome;
}

enum outcome run_xsha(struct machine *machine, enum operation operation)
{
	const struct hash *hash = operation == XSHA1 ? &sha1_hash : &sha256_hash;
	bool knows_blocks = boot_cpu_data.x86 != 6 || boot_cpu_data.x86_model >= 15;

	if (knows_blocks && cut(machine, machine->regs->ax) == machine->limit)
		return run_blocks(machine, hash);
	return run_message(machine, hash);
}
