// SPDX-License-Identifier: GPL-2.0
/* Memory as instructions access it: the kernel's own as it is, a program's with care. */
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "emulator.h"

/* Virtual addresses have 48 bits on all CPUs with PadLock. */
#define HALF (1UL << 47)

/* Whether an access wraps around, or is to no address at all: that is a general protection fault. */
static bool is_no_address(const struct machine *machine, unsigned long first, size_t count)
{
	unsigned long last = first + count - 1;

	if (last < first || last > machine->limit)
		return true;
	return last >= HALF && first < -HALF;
}

/* Access rights are those of pages: the fault is at the first byte, or where another page begins. */
static enum outcome page_fault(struct machine *machine, unsigned long address, size_t accessed,
			       bool write)
{
	machine->fault_address = max(address, (address + accessed) & PAGE_MASK);
	machine->fault_write = write;
	return PAGE_FAULT;
}

enum outcome read_memory(struct machine *machine, void *to, unsigned long from, size_t count)
{
	size_t left;

	if (!count)
		return DONE;
	from = cut(machine, from);
	if (is_no_address(machine, from, count))
		return GENERAL_PROTECTION;
	if (!machine->user) {
		memcpy(to, (const void *)from, count);
		return DONE;
	}
	left = copy_from_user(to, (const void __user *)from, count);
	return left ? page_fault(machine, from, count - left, false) : DONE;
}

enum outcome write_memory(struct machine *machine, unsigned long to, const void *from, size_t count)
{
	size_t left = 0;

	if (!count)
		return DONE;
	to = cut(machine, to);
	if (is_no_address(machine, to, count))
		return GENERAL_PROTECTION;
	if (!machine->user) {
		memcpy((void *)to, from, count);
		return DONE;
	}
	/* Nothing may be written to the first page if the second cannot be. */
	if ((to & PAGE_MASK) != ((to + count - 1) & PAGE_MASK))
		left = fault_in_safe_writeable((const char __user *)to, count);
	if (!left)
		left = copy_to_user((void __user *)to, from, count);
	return left ? page_fault(machine, to, count - left, true) : DONE;
}
