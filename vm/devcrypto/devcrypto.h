/* SPDX-License-Identifier: GPL-2.0 */
/* The calls of /dev/crypto that are answered here, and a session. */
#ifndef WIRESPEED_DEVCRYPTO_H
#define WIRESPEED_DEVCRYPTO_H

#include <linux/ioctl.h>
#include <linux/list.h>
#include <linux/types.h>

/* In a program of 32 bits pointers are shorter; the size, which a call's number holds, tells. */
#define CALLS(WORD, SUFFIX)							\
	struct new_session##SUFFIX {						\
		__u32 cipher, mac, key_bytes;					\
		WORD key;							\
		__u32 mac_key_bytes;						\
		WORD mac_key;							\
		__u32 session;							\
	};									\
	struct call##SUFFIX {							\
		__u32 session;							\
		__u16 operation, flags;						\
		__u32 bytes;							\
		WORD from, to, digest, iv;					\
	};

CALLS(unsigned long, )
CALLS(__u32, _32)

struct session_info {
	__u32 session;
	char cipher[2][64], hash[2][64];
	__u16 alignment_mask;
	__u32 flags;
};

struct copy_state {
	__u32 to, from;
};

#define NEW_SESSION _IOWR('c', 102, struct new_session)
#define NEW_SESSION_32 _IOWR('c', 102, struct new_session_32)
#define END_SESSION _IOW('c', 103, __u32)
#define CRYPT _IOWR('c', 104, struct call)
#define CRYPT_32 _IOWR('c', 104, struct call_32)
#define FEATURES _IOR('c', 106, __u32)
#define SESSION_INFO _IOWR('c', 107, struct session_info)
#define COPY_STATE _IOW('c', 112, struct copy_state)

enum { DECRYPT = 1 };
enum { UPDATE = 1, FINAL = 2, RESET = 64 };

struct session {
	struct list_head among;
	__u32 number;
	struct crypto_skcipher *cipher;
	struct shash_desc *hash;
};

struct session *make_session(const struct new_session *wanted);
void end_session(struct session *session);
int run(struct session *session, const struct call *call);
int copy_state(struct session *to, struct session *from);
void describe(const struct session *session, struct session_info *info);

#endif
