/* SPDX-License-Identifier: GPL-2.0 */
/* What both drivers share: which request is to go wrong. */
#ifndef WIRESPEED_FAULTS_H
#define WIRESPEED_FAULTS_H

#include <linux/types.h>

/* How the drivers rank among those of the same algorithm. */
extern int priority;

/* A kind of fault of one driver: each Nth request has it. */
struct fault {
	unsigned int every;
	atomic_t requests;
};

extern struct fault cipher_wrong, cipher_failing, hash_wrong, hash_failing;

/* The errno that a request of the cipher fails with. */
extern int cipher_error;

/* Whether this request is to have the fault. */
bool strikes(struct fault *fault);

int register_cipher(void);
void unregister_cipher(void);
int register_hash(void);
void unregister_hash(void);

#endif
