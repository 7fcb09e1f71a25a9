// SPDX-License-Identifier: GPL-2.0
/*
 * padlock_emulator: PadLock's instructions on a virtual machine's CPU that lacks them.
 *
 * Such an instruction raises #UD. A die notifier takes that, carries the instruction out and lets the code go on
 * behind it: at once where the kernel ran it, on the way back to the program where a program did.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/asm.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include <asm/trapnr.h>

#include "aes.h"
#include "emulator.h"

static bool setcaps;
module_param(setcaps, bool, 0444);
MODULE_PARM_DESC(setcaps, "tell the kernel that this CPU has PadLock");

unsigned int interrupt_every = 64;
module_param(interrupt_every, uint, 0644);
MODULE_PARM_DESC(interrupt_every, "blocks after which an operation is interrupted; 0: never");

static int show_counter(char *text, const struct kernel_param *parameter)
{
	return sysfs_emit(text, "%ld\n", atomic_long_read(parameter->arg));
}

static const struct kernel_param_ops counter = { .get = show_counter };

#define COUNTER(name, meaning)                      \
	atomic_long_t name;                             \
	module_param_cb(name, &counter, &name, 0444);   \
	MODULE_PARM_DESC(name, meaning)

COUNTER(kernel_traps, "instructions of the kernel");
COUNTER(user_traps, "instructions of programs");
COUNTER(xcrypt_blocks, "blocks encrypted and decrypted");
COUNTER(xsha_blocks, "blocks hashed");
COUNTER(xstore_units, "stores of random bytes");
COUNTER(faults, "instructions that ended in a signal");

/* The unit that an operation needs: present and enabled. */
static bool has_unit(enum operation operation)
{
	switch (operation) {
	case XSTORE:
		return boot_cpu_has(X86_FEATURE_XSTORE) && boot_cpu_has(X86_FEATURE_XSTORE_EN);
	case XCRYPT_CTR:
		return boot_cpu_has(X86_FEATURE_ACE2) && boot_cpu_has(X86_FEATURE_ACE2_EN);
	case XSHA1:
	case XSHA256:
		return boot_cpu_has(X86_FEATURE_PHE) && boot_cpu_has(X86_FEATURE_PHE_EN);
	default:
		return boot_cpu_has(X86_FEATURE_XCRYPT) && boot_cpu_has(X86_FEATURE_XCRYPT_EN);
	}
}

static enum outcome run(struct machine *machine, const struct instruction *instruction)
{
	switch (instruction->operation) {
	case XSTORE:
		return run_xstore(machine, instruction->repeated);
	case XSHA1:
	case XSHA256:
		return run_xsha(machine, instruction->operation);
	default:
		return run_xcrypt(machine, instruction->operation);
	}
}

enum outcome step(struct pt_regs *regs, bool user, const struct instruction *instruction,
		  struct machine *machine)
{
	bool narrow = instruction->address_size || (user && !user_64bit_mode(regs));
	enum outcome outcome;

	if (!has_unit(instruction->operation))
		return UNDEFINED;
	*machine = (struct machine){
		.regs = regs,
		.user = user,
		.limit = narrow ? U32_MAX : ULONG_MAX,
	};
	outcome = run(machine, instruction);
	if (outcome == DONE)
		regs->ip += instruction->length;
	return outcome;
}

/* Code of the kernel is always there. What ends in a fault stays #UD, and an oops. */
static bool trap_in_kernel(struct pt_regs *regs)
{
	struct instruction instruction;
	struct machine machine;
	enum outcome outcome;

	if (!decode((const u8 *)regs->ip, LONGEST_INSTRUCTION, true, &instruction))
		return false;
	outcome = step(regs, false, &instruction, &machine);
	if (outcome != DONE && outcome != INTERRUPTED)
		return false;
	atomic_long_inc(&kernel_traps);
	return true;
}

static int on_die(struct notifier_block *block, unsigned long event, void *data)
{
	struct die_args *args = data;
	bool taken;

	if (event != DIE_TRAP || args->trapnr != X86_TRAP_UD)
		return NOTIFY_DONE;
	taken = user_mode(args->regs) ? trap_in_program(args->regs) : trap_in_kernel(args->regs);
	return taken ? NOTIFY_STOP : NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_die, .priority = INT_MAX };

/* Whether the CPU itself, or another emulator, takes PadLock's instructions: CPUID may say anything. */
static bool executes_padlock(void)
{
	unsigned long taken = 0, count = 0;
	u8 random[8];
	void *to = random;

	/* rep xcrypt-ecb of no blocks */
	asm volatile("1: .byte 0xf3, 0x0f, 0xa7, 0xc8\n\t"
		     "inc %[taken]\n"
		     "2:\n" _ASM_EXTABLE(1b, 2b)
		     : [taken] "+r"(taken), "+c"(count) : "a"(random), "b"(random), "d"(random),
		       "S"(random), "D"(random) : "memory");
	/* xstore of one byte */
	asm volatile("1: .byte 0x0f, 0xa7, 0xc0\n\t"
		     "inc %[taken]\n"
		     "2:\n" _ASM_EXTABLE(1b, 2b)
		     : [taken] "+r"(taken), "+D"(to), "=a"(count) : "d"(3) : "memory");
	return taken;
}

static void __init set_capabilities(void)
{
	static const int features[] __initconst = {
		X86_FEATURE_XSTORE, X86_FEATURE_XSTORE_EN, X86_FEATURE_XCRYPT,
		X86_FEATURE_XCRYPT_EN, X86_FEATURE_ACE2, X86_FEATURE_ACE2_EN,
		X86_FEATURE_PHE, X86_FEATURE_PHE_EN,
	};
	int cpu;

	for (int at = 0; at < ARRAY_SIZE(features); at++) {
		set_cpu_cap(&boot_cpu_data, features[at]);
		for_each_possible_cpu(cpu)
			set_cpu_cap(&cpu_data(cpu), features[at]);
	}
}

static int __init emulator_init(void)
{
	int error;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR)) {
		pr_err("only for virtual machines\n");
		return -ENODEV;
	}
	if (executes_padlock()) {
		pr_err("this CPU has PadLock\n");
		return -EBUSY;
	}
	aes_make_tables();
	error = register_die_notifier(&notifier);
	if (error)
		return error;
	if (setcaps)
		set_capabilities();
	return 0;
}

/* No exit: programs may be on their way through this code at any time. */
module_init(emulator_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("PadLock's instructions in software, for virtual machines");
