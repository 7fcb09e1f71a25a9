// SPDX-License-Identifier: GPL-2.0
/*
 * wirespeed_devcrypto: a /dev/crypto that goes wrong when told to, for tests.
 *
 * It answers the calls of cryptodev-linux that Wirespeed makes, over the kernel's own crypto, and counts them.
 * Parameters make it fail, lie or forget.
 */
#include <linux/atomic.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "devcrypto.h"

static unsigned int failing, wrong, lying;
static int error = EIO, refusing;
static bool forgetting, endless;
static atomic_t sessions, calls, struck;

module_param(failing, uint, 0644);
MODULE_PARM_DESC(failing, "each Nth call spoils its output and fails; 0: none");
module_param(error, int, 0644);
MODULE_PARM_DESC(error, "what it fails with: 5 is EIO, 16 is EBUSY");
module_param(wrong, uint, 0644);
MODULE_PARM_DESC(wrong, "each Nth call gives one wrong bit; 0: none");
module_param(lying, uint, 0644);
MODULE_PARM_DESC(lying, "each Nth call says that it took fewer bytes; 0: none");
module_param(refusing, int, 0644);
MODULE_PARM_DESC(refusing, "what new sessions fail with; 0: they do not");
module_param(forgetting, bool, 0644);
MODULE_PARM_DESC(forgetting, "no session is found");
module_param(endless, bool, 0644);
MODULE_PARM_DESC(endless, "names of drivers have no end");
module_param_named(sessions, sessions.counter, int, 0444);
MODULE_PARM_DESC(sessions, "how many are open");
module_param_named(calls, calls.counter, int, 0444);
MODULE_PARM_DESC(calls, "how many were made so far");
module_param_named(struck, struck.counter, int, 0444);
MODULE_PARM_DESC(struck, "how many of them went wrong");

/* An open file and its sessions. */
struct file_sessions {
	struct mutex lock;
	struct list_head all;
};

static struct session *find(struct file_sessions *file, __u32 number)
{
	struct session *session;

	if (!READ_ONCE(forgetting))
		list_for_each_entry(session, &file->all, among)
			if (session->number == number)
				return session;
	return NULL;
}

static bool strikes(unsigned int every, int call)
{
	if (!every || call % every)
		return false;
	atomic_inc(&struck);
	return true;
}

static int begin(struct file_sessions *file, struct new_session *wanted)
{
	struct session *session;

	if (READ_ONCE(refusing))
		return -refusing;
	session = make_session(wanted);
	if (IS_ERR(session))
		return PTR_ERR(session);
	list_add(&session->among, &file->all);
	atomic_inc(&sessions);
	wanted->session = session->number;
	return 0;
}

static void end(struct session *session)
{
	list_del(&session->among);
	end_session(session);
	atomic_dec(&sessions);
}

/* Where the call's output is, as far as it has one. */
static u8 __user *output(const struct call *call)
{
	return (u8 __user *)(call->digest ?: call->to);
}

static int crypt(struct file_sessions *file, struct call *call)
{
	struct session *session = find(file, call->session);
	int number = atomic_inc_return(&calls), failed;
	u8 bit;

	if (!session)
		return -EINVAL;
	if (strikes(READ_ONCE(failing), number)) {
		if (output(call) && put_user(0xaa, output(call)))
			return -EFAULT;
		return -error;
	}
	failed = run(session, call);
	if (failed)
		return failed;
	if (strikes(READ_ONCE(wrong), number) && output(call) &&
	    (get_user(bit, output(call)) || put_user(bit ^ 1, output(call))))
		return -EFAULT;
	if (strikes(READ_ONCE(lying), number))
		call->bytes /= 2;
	return 0;
}

static int inform(struct file_sessions *file, struct session_info *info)
{
	struct session *session = find(file, info->session);

	if (!session)
		return -EINVAL;
	describe(session, info);
	if (READ_ONCE(endless)) {
		memset(info->cipher, 'x', sizeof(info->cipher));
		memset(info->hash, 'x', sizeof(info->hash));
	}
	return 0;
}

/* Brings a structure in, has it answered, takes it out again. */
#define ANSWER(type, answer)							\
({										\
	type it;								\
	int failed = copy_from_user(&it, at, sizeof(it)) ? -EFAULT : answer(file, &it);	\
	failed ?: copy_to_user(at, &it, sizeof(it)) ? -EFAULT : 0;		\
})

static int begin_32(struct file_sessions *file, struct new_session_32 *narrow)
{
	struct new_session wide = {
		.cipher = narrow->cipher, .mac = narrow->mac,
		.key_bytes = narrow->key_bytes, .key = narrow->key,
		.mac_key_bytes = narrow->mac_key_bytes, .mac_key = narrow->mac_key,
	};
	int failed = begin(file, &wide);

	narrow->session = wide.session;
	return failed;
}

static int crypt_32(struct file_sessions *file, struct call_32 *narrow)
{
	struct call wide = {
		.session = narrow->session, .operation = narrow->operation, .flags = narrow->flags,
		.bytes = narrow->bytes, .from = narrow->from, .to = narrow->to,
		.digest = narrow->digest, .iv = narrow->iv,
	};
	int failed = crypt(file, &wide);

	narrow->bytes = wide.bytes;
	return failed;
}

static int copy(struct file_sessions *file, struct copy_state *which)
{
	struct session *to = find(file, which->to), *from = find(file, which->from);

	return to && from ? copy_state(to, from) : -ENOENT;
}

static int finish(struct file_sessions *file, __u32 *number)
{
	struct session *session = find(file, *number);

	if (session)
		end(session);
	return session ? 0 : -ENOENT;
}

static int features(struct file_sessions *file, __u32 *which)
{
	*which = 0;
	return 0;
}

static int answer(struct file_sessions *file, unsigned int command, void __user *at)
{
	switch (command) {
	case NEW_SESSION: return ANSWER(struct new_session, begin);
	case NEW_SESSION_32: return ANSWER(struct new_session_32, begin_32);
	case END_SESSION: return ANSWER(__u32, finish);
	case CRYPT: return ANSWER(struct call, crypt);
	case CRYPT_32: return ANSWER(struct call_32, crypt_32);
	case FEATURES: return ANSWER(__u32, features);
	case SESSION_INFO: return ANSWER(struct session_info, inform);
	case COPY_STATE: return ANSWER(struct copy_state, copy);
	default: return -EINVAL;
	}
}

static long control(struct file *opened, unsigned int command, unsigned long at)
{
	struct file_sessions *file = opened->private_data;
	long result;

	mutex_lock(&file->lock);
	result = answer(file, command, (void __user *)at);
	mutex_unlock(&file->lock);
	return result;
}

static int open(struct inode *inode, struct file *opened)
{
	struct file_sessions *file = kzalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return -ENOMEM;
	mutex_init(&file->lock);
	INIT_LIST_HEAD(&file->all);
	opened->private_data = file;
	return 0;
}

static int release(struct inode *inode, struct file *opened)
{
	struct file_sessions *file = opened->private_data;
	struct session *session, *next;

	list_for_each_entry_safe(session, next, &file->all, among)
		end(session);
	kfree(file);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.unlocked_ioctl = control,
	.compat_ioctl = control,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "crypto",
	.fops = &operations,
	.mode = 0666,
};

module_misc_device(device);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A /dev/crypto that goes wrong when told to, for tests");
