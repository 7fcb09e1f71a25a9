// SPDX-License-Identifier: GPL-2.0
/* Instructions from bytes. */
#include "emulator.h"

static bool of_opcode(u8 second, u8 selector, enum operation *operation)
{
	switch (second << 8 | selector) {
	case 0xa7c0:
		*operation = XSTORE;
		return true;
	case 0xa7c8:
		*operation = XCRYPT_ECB;
		return true;
	case 0xa7d0:
		*operation = XCRYPT_CBC;
		return true;
	case 0xa7d8:
		*operation = XCRYPT_CTR;
		return true;
	case 0xa7e0:
		*operation = XCRYPT_CFB;
		return true;
	case 0xa7e8:
		*operation = XCRYPT_OFB;
		return true;
	case 0xa6c8:
		*operation = XSHA1;
		return true;
	case 0xa6d0:
		*operation = XSHA256;
		return true;
	default:
		return false;
	}
}

/*
 * REPNE, LOCK, the operand-size prefix, FS and GS are refused, and all but xstore need REP, as in
 * emulator/core/src/decode.rs, which says why.
 */
bool decode(const u8 *bytes, size_t count, bool is_64bit, struct instruction *instruction)
{
	size_t start;

	instruction->repeated = false;
	instruction->address_size = false;
	for (start = 0; start < count; start++) {
		u8 byte = bytes[start];

		if (byte == 0xf3)
			instruction->repeated = true;
		else if (byte == 0x67)
			instruction->address_size = true;
		else if (byte != 0x2e && byte != 0x36 && byte != 0x3e && byte != 0x26 &&
			 !(is_64bit && (byte & 0xf0) == 0x40))
			break;
	}
	if (count - start < 3 || bytes[start] != 0x0f)
		return false;
	if (!of_opcode(bytes[start + 1], bytes[start + 2], &instruction->operation))
		return false;
	instruction->length = start + 3;
	return instruction->repeated || instruction->operation == XSTORE;
}
