// SPDX-License-Identifier: GPL-2.0
/*
 * A program's instructions. Its memory may have to be brought in, which must not happen in the notifier: the
 * work is done on the way back to the program.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>
#include <asm/trap_pf.h>
#include <asm/trapnr.h>

#include "emulator.h"

struct user_work {
	struct callback_head head;
	/* Where the instruction was. */
	unsigned long address;
};

/* What is there, as far as there is memory. */
static size_t read_code(unsigned long address, u8 *bytes, unsigned long (*copy)(u8 *, unsigned long,
									       size_t))
{
	size_t here = PAGE_SIZE - offset_in_page(address);
	size_t count = min_t(size_t, here, LONGEST_INSTRUCTION);

	if (copy(bytes, address, count))
		return 0;
	if (count < LONGEST_INSTRUCTION &&
	    !copy(bytes + count, address + count, LONGEST_INSTRUCTION - count))
		return LONGEST_INSTRUCTION;
	return count;
}

static unsigned long copy_quickly(u8 *to, unsigned long from, size_t count)
{
	return copy_from_user_nofault(to, (const void __user *)from, count) ? count : 0;
}

static unsigned long copy_patiently(u8 *to, unsigned long from, size_t count)
{
	return copy_from_user(to, (const void __user *)from, count);
}

/* As the kernel itself would signal it, where a module can. */
static void signal_page_fault(const struct machine *machine)
{
	struct k_sigaction *action = &current->sighand->action[SIGSEGV - 1];
	struct vm_area_struct *area;
	struct kernel_siginfo info;

	current->thread.trap_nr = X86_TRAP_PF;
	current->thread.cr2 = machine->fault_address;
	current->thread.error_code = X86_PF_USER | (machine->fault_write ? X86_PF_WRITE : 0);
	/* Only the kernel itself can force a signal with an address upon who does not want it. */
	if (sigismember(&current->blocked, SIGSEGV) || action->sa.sa_handler == SIG_IGN) {
		force_sig(SIGSEGV);
		return;
	}
	clear_siginfo(&info);
	info.si_signo = SIGSEGV;
	info.si_addr = (void __user *)machine->fault_address;
	mmap_read_lock(current->mm);
	area = find_vma(current->mm, machine->fault_address);
	info.si_code = area && area->vm_start <= machine->fault_address ? SEGV_ACCERR : SEGV_MAPERR;
	mmap_read_unlock(current->mm);
	send_sig_info(SIGSEGV, &info, current);
}

static void signal_outcome(enum outcome outcome, const struct machine *machine)
{
	atomic_long_inc(&faults);
	if (outcome == PAGE_FAULT) {
		signal_page_fault(machine);
		return;
	}
	current->thread.trap_nr = outcome == UNDEFINED ? X86_TRAP_UD : X86_TRAP_GP;
	current->thread.error_code = 0;
	force_sig(outcome == UNDEFINED ? SIGILL : SIGSEGV);
}

static void do_user_work(struct callback_head *head)
{
	unsigned long address = container_of(head, struct user_work, head)->address;
	struct pt_regs *regs = task_pt_regs(current);
	enum outcome outcome = UNDEFINED;
	struct machine machine = {};
	struct instruction instruction;
	u8 bytes[LONGEST_INSTRUCTION];
	size_t count;

	kfree(container_of(head, struct user_work, head));
	/* A signal came first, or a debugger: the instruction will trap again when its turn comes. */
	if (regs->ip != address)
		return;
	count = read_code(address, bytes, copy_patiently);
	if (decode(bytes, count, user_64bit_mode(regs), &instruction)) {
		atomic_long_inc(&user_traps);
		outcome = step(regs, true, &instruction, &machine);
	}
	if (outcome != DONE && outcome != INTERRUPTED)
		signal_outcome(outcome, &machine);
}

bool trap_in_program(struct pt_regs *regs)
{
	u8 bytes[LONGEST_INSTRUCTION];
	size_t count = read_code(regs->ip, bytes, copy_quickly);
	struct instruction instruction;
	struct user_work *work;

	/* Code that has left memory since it ran is looked at again when it can be brought in. */
	if (count && !decode(bytes, count, user_64bit_mode(regs), &instruction))
		return false;
	work = kmalloc(sizeof(*work), GFP_ATOMIC);
	if (!work)
		return false;
	work->address = regs->ip;
	init_task_work(&work->head, do_user_work);
	if (!task_work_add(current, &work->head, TWA_RESUME))
		return true;
	kfree(work);
	return false;
}
