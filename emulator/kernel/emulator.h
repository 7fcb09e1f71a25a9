/* SPDX-License-Identifier: GPL-2.0 */
/* PadLock's instructions in software: what the parts know of one another. */
#ifndef PADLOCK_EMULATOR_H
#define PADLOCK_EMULATOR_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#define BLOCK_BYTES 16

enum operation {
	XSTORE,
	XCRYPT_ECB,
	XCRYPT_CBC,
	XCRYPT_CTR,
	XCRYPT_CFB,
	XCRYPT_OFB,
	XSHA1,
	XSHA256,
};

struct instruction {
	enum operation operation;
	bool repeated;
	bool address_size;
	unsigned int length;
};

/* No instruction of x86 is longer. */
#define LONGEST_INSTRUCTION 15

/* How an instruction ended. Registers always say how far it came. */
enum outcome {
	DONE,
	/* Between two blocks: the same instruction goes on from the registers. */
	INTERRUPTED,
	PAGE_FAULT,
	GENERAL_PROTECTION,
	UNDEFINED,
};

/* The CPU as an instruction sees it. */
struct machine {
	struct pt_regs *regs;
	/* Whether it runs in a program, whose memory may be absent. */
	bool user;
	/* The highest address, which all ones of a register are. */
	unsigned long limit;
	/* Where PAGE_FAULT happened, and whether that was to be written. */
	unsigned long fault_address;
	bool fault_write;
};

struct aes_key;

/* What is seen and set in /sys/module/padlock_emulator/parameters. */
extern unsigned int interrupt_every;
extern atomic_long_t kernel_traps, user_traps, faults;
extern atomic_long_t xcrypt_blocks, xsha_blocks, xstore_units;

/* decode.c */
bool decode(const u8 *bytes, size_t count, bool is_64bit, struct instruction *instruction);

/* main.c */
enum outcome step(struct pt_regs *regs, bool user, const struct instruction *instruction,
		  struct machine *machine);

/* user.c: a program's #UD; whether it is taken care of. */
bool trap_in_program(struct pt_regs *regs);

/* memory.c: an access is all or nothing. */
enum outcome __must_check read_memory(struct machine *machine, void *to, unsigned long from,
				      size_t count);
enum outcome __must_check write_memory(struct machine *machine, unsigned long to,
				       const void *from, size_t count);

/* What one trap may do of so many units of work. */
static inline unsigned long allowed_units(unsigned long total)
{
	unsigned int most = READ_ONCE(interrupt_every);

	return most && most < total ? most : total;
}

/* A register as wide as addresses are. */
static inline unsigned long cut(const struct machine *machine, unsigned long value)
{
	return value & machine->limit;
}

/* The operations, one instruction as far as it comes. */
enum outcome run_xstore(struct machine *machine, bool repeated);
enum outcome run_xcrypt(struct machine *machine, enum operation operation);
enum outcome run_xsha(struct machine *machine, enum operation operation);

#endif
