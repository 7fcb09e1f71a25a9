// SPDX-License-Identifier: GPL-2.0
/* xstore: random bytes. emulator/core/src/xstore.rs cites the rules. */
#include <linux/random.h>
#include <linux/string.h>

#include "emulator.h"

/* EAX: enabled (bit 6), the first noise source (bits 9:8); the number of bytes is in bits 4:0. */
#define STATUS 0x140

/* A quadword, or a doubleword of which only the first bytes are valid. */
static enum outcome store_once(struct machine *machine, unsigned int valid)
{
	struct pt_regs *regs = machine->regs;
	enum outcome outcome;
	u8 bytes[8] = {};

	get_random_bytes(bytes, valid);
	outcome = write_memory(machine, regs->di, bytes, valid == 8 ? 8 : 4);
	if (outcome != DONE)
		return outcome;
	atomic_long_inc(&xstore_units);
	regs->di = cut(machine, regs->di + valid);
	regs->ax = STATUS | valid;
	return DONE;
}

/* REP: until RCX bytes are stored; the last store is cut to what is left. */
static enum outcome store_many(struct machine *machine, unsigned int valid)
{
	struct pt_regs *regs = machine->regs;
	unsigned long total = cut(machine, regs->cx), units = DIV_ROUND_UP(total, valid);
	unsigned long allowed = allowed_units(units), done;
	enum outcome outcome = DONE;
	u8 bytes[8];

	for (done = 0; done < allowed; done++) {
		unsigned long count = min_t(unsigned long, valid, cut(machine, regs->cx));

		get_random_bytes(bytes, count);
		outcome = write_memory(machine, regs->di, bytes, count);
		if (outcome != DONE)
			break;
		regs->di = cut(machine, regs->di + count);
		regs->cx = cut(machine, regs->cx - count);
	}
	atomic_long_add(done, &xstore_units);
	if (done)
		regs->ax = STATUS | valid;
	return outcome == DONE && done < units ? INTERRUPTED : outcome;
}

enum outcome run_xstore(struct machine *machine, bool repeated)
{
	/* Only two bits count. */
	unsigned int valid = 8 >> (machine->regs->dx & 3);

	return repeated ? store_many(machine, valid) : store_once(machine, valid);
}
