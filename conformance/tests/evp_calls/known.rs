//! The differences that are meant to be, each with its reason.

use crate::compare::Difference;

/// A version of OpenSSL.
pub(crate) type Version = (u32, u32, u32);

/// On which libcrypto an entry holds.
#[derive(Clone, Copy)]
pub(crate) enum Where {
    Everywhere,
    /// Where the fault is that these versions, each of its own line, mended.
    Unfixed(&'static [Version]),
}

impl Where {
    fn holds(self, version: Version) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Unfixed(fixed) => {
                let line = fixed.iter().find(|it| (it.0, it.1) == (version.0, version.1));
                let newest = fixed.iter().max();
                match (line, newest) {
                    (Some(fixed), _) => version < *fixed,
                    // A line that ended without the mend, or one that began with it.
                    (None, Some(newest)) => version < *newest,
                    (None, None) => false,
                }
            }
        }
    }
}

/// A difference that is meant to be. In the patterns, `*` stands for anything.
pub(crate) struct Known {
    algorithm: &'static str,
    call: &'static str,
    kind: &'static str,
    holds: Where,
    pub(crate) reason: &'static str,
}

const fn known(
    algorithm: &'static str,
    call: &'static str,
    kind: &'static str,
    holds: Where,
    reason: &'static str,
) -> Known {
    Known { algorithm, call, kind, holds, reason }
}

const EVERYWHERE: Where = Where::Everywhere;

/// From which on `num` must be below the block.
const NUM_CHECKED: Where = Where::Unfixed(&[(3, 0, 22), (3, 5, 7), (3, 6, 3), (4, 0, 1)]);

/// From which on an AEAD needs a tag to end, and its one-shots are messages.
const AEADS_MENDED: Where = Where::Unfixed(&[(3, 0, 22), (3, 5, 8), (3, 6, 4), (4, 0, 2)]);

/// Every one, the more special before the more general.
const KNOWN: &[Known] = &[
    // Mended faults of the host: ours is the safe answer everywhere.
    known(
        "*OCB",
        "one-shot*",
        "*",
        AEADS_MENDED,
        "CVE-2026-45445 and CVE-2026-75803: a one-shot is a message",
    ),
    known(
        "*",
        "one-shot end*",
        "result",
        AEADS_MENDED,
        "CVE-2026-75803: an empty message needs its tag",
    ),
    known(
        "ChaCha20-Poly1305",
        "final*",
        "stricter",
        EVERYWHERE,
        "opening needs a tag, also of nothing",
    ),
    known(
        "ChaCha20-Poly1305",
        "one-shot end*",
        "result",
        EVERYWHERE,
        "opening needs a tag, also of nothing",
    ),
    known(
        "ChaCha20-Poly1305",
        "final*",
        "errors",
        EVERYWHERE,
        "opening needs a tag, also of nothing",
    ),
    known(
        "ChaCha20-Poly1305",
        "one-shot end*",
        "errors",
        EVERYWHERE,
        "opening needs a tag, also of nothing",
    ),
    known(
        "ChaCha20-Poly1305",
        "one-shot empty*",
        "result",
        EVERYWHERE,
        "a call of no bytes does nothing (openssl#32752)",
    ),
    known(
        "ChaCha20-Poly1305",
        "control get_tag*",
        "bytes",
        AEADS_MENDED,
        "CVE-2026-75803: the host makes no tag of nothing",
    ),
    known("*CCM", "final*", "stricter", AEADS_MENDED, "opening needs a message that was verified"),
    known("*CCM", "control get_tag*", "errors", AEADS_MENDED, "a tag of nothing that was sealed"),
    known("*", "set_num*", "stricter", NUM_CHECKED, "num beyond the block reads beyond it"),
    known("*", "set num*", "stricter", NUM_CHECKED, "num beyond the block reads beyond it"),
    known("*", "init*", "stricter", NUM_CHECKED, "num beyond the block reads beyond it"),
    known(
        "*GCM-SIV",
        "* after a failed init*",
        "*",
        EVERYWHERE,
        "an init that was refused leaves the one before",
    ),
    known(
        "ChaCha20-Poly1305",
        "* after the end",
        "bytes",
        AEADS_MENDED,
        "CVE-2026-75803: the host's empty one-shot ends nothing",
    ),
    known(
        "*CCM",
        "* after the end",
        "looser",
        AEADS_MENDED,
        "CVE-2026-75803: the host's empty one-shot ends nothing",
    ),
    known("*CCM", "update*", "stricter", AEADS_MENDED, "a message of CCM is one update"),
    known("*CCM", "update*", "bytes of a failure", AEADS_MENDED, "a message of CCM is one update"),
    known("*CCM", "one-shot*", "*", AEADS_MENDED, "CVE-2026-75803: a one-shot is a message"),
    known("*CCM", "aad*", "looser", AEADS_MENDED, "the host's end of nothing keeps its length"),
    known("*CCM", "final*", "looser", AEADS_MENDED, "the host's end of nothing keeps its length"),
    known(
        "*GCM",
        "control iv_fixed*",
        "stricter",
        EVERYWHERE,
        "a fixed field of the IV that is longer than the IV",
    ),
    known(
        "AES-*-OCB",
        "control get_tag*",
        "bytes",
        AEADS_MENDED,
        "CVE-2026-75803: the host makes no tag of nothing",
    ),
    known(
        "HMAC",
        "* after a failed init*",
        "stricter",
        EVERYWHERE,
        "an init that was refused leaves the one before",
    ),
    known(
        "*OCB",
        "* after the end",
        "stricter",
        AEADS_MENDED,
        "CVE-2026-75803: a one-shot ends its message",
    ),
    // What the host writes is of no message.
    known(
        "*OCB",
        "* in the other direction*",
        "bytes",
        EVERYWHERE,
        "the host keeps the AES-NI code of the direction that the key was given for",
    ),
    known(
        "*GCM",
        "* under a new key in its midst*",
        "*",
        EVERYWHERE,
        "the host's AVX-512 code then writes other bytes than its AES-NI code",
    ),
    known(
        "*OCB",
        "update in place behind a part*",
        "bytes",
        EVERYWHERE,
        "the output overwrites input that is still to come, here sooner and there later",
    ),
    known(
        "ChaCha20-Poly1305",
        "* after a new fixed IV in its midst*",
        "*",
        EVERYWHERE,
        "the host goes on with another nonce, ours with the message's",
    ),
    known(
        "ChaCha20-Poly1305",
        "* of a record after the end",
        "bytes",
        EVERYWHERE,
        "associated data behind a record that was refused",
    ),
    known(
        "*",
        "* after a failed init*",
        "bytes",
        EVERYWHERE,
        "nothing says what of an init that was refused was taken",
    ),
    known(
        "ChaCha20-Poly1305",
        "* behind a call of no bytes*",
        "bytes",
        EVERYWHERE,
        "the host ends the associated data there (openssl#32752)",
    ),
    known(
        "ChaCha20-Poly1305",
        "update of a record * after the end",
        "looser",
        EVERYWHERE,
        "a record that was refused is over, where newer hosts keep it announced",
    ),
    known(
        "*GCM",
        "control get_tag behind a call of no bytes*",
        "bytes",
        EVERYWHERE,
        "the host ends the associated data there (openssl#32752)",
    ),
    known(
        "*CTS",
        "update without a key*",
        "stricter",
        EVERYWHERE,
        "without a key the host computes with memory that nobody has set",
    ),
    known(
        "*OCB",
        "* behind a call of no bytes*",
        "bytes",
        AEADS_MENDED,
        "CVE-2026-75803: the host's empty one-shot begins nothing",
    ),
    known(
        "HMAC",
        "* after another hash in its midst*",
        "stricter",
        EVERYWHERE,
        "a hash that is not ours needs a new begin",
    ),
    // Not the same twice.
    known(
        "*GCM",
        "*",
        "state updated iv",
        EVERYWHERE,
        "asked for an IV that nobody set, 4.0 draws one",
    ),
    // Stricter: what the manual does not allow.
    known(
        "*ECB",
        "one-shot*",
        "stricter",
        EVERYWHERE,
        "a part of a block: the host says a length and writes whole blocks",
    ),
    known(
        "*CBC",
        "one-shot*",
        "stricter",
        EVERYWHERE,
        "a part of a block: the host says a length and writes whole blocks",
    ),
    known(
        "*CTS",
        "one-shot*",
        "stricter",
        EVERYWHERE,
        "below a block: the host writes beyond, or crashes",
    ),
    known(
        "S*",
        "aad after the end",
        "stricter",
        EVERYWHERE,
        "a hash that has ended takes no more data",
    ),
    known(
        "MD5",
        "aad after the end",
        "stricter",
        EVERYWHERE,
        "a hash that has ended takes no more data",
    ),
    known(
        "S*",
        "set ssl3-ms after the end",
        "stricter",
        EVERYWHERE,
        "a hash that has ended takes no more data",
    ),
    known(
        "S*",
        "final* after the end",
        "*",
        EVERYWHERE,
        "a hash that has ended has no second end; the host's is of wiped memory",
    ),
    known(
        "MD5",
        "final* after the end",
        "*",
        EVERYWHERE,
        "a hash that has ended has no second end; the host's is of wiped memory",
    ),
    known("S*", "final of a length", "stricter", EVERYWHERE, "a length that is not the hash's"),
    known(
        "HMAC",
        "aad after the end",
        "stricter",
        EVERYWHERE,
        "a code that has ended takes no more data",
    ),
    known(
        "HMAC",
        "final of a length after the end",
        "stricter",
        EVERYWHERE,
        "a code that has ended has no second end",
    ),
    // The same verdict with fewer words in the error queue.
    known(
        "HMAC",
        "final of a length*",
        "errors",
        EVERYWHERE,
        "EVP_MD_get_size's own entry, without a hash",
    ),
    known("HMAC", "aad*", "errors", EVERYWHERE, "4.0 adds an entry of EVP_DigestUpdate"),
    known("*", "set *", "errors", EVERYWHERE, "4.0 adds an entry of OSSL_PARAM_get"),
    known("*", "control set_tag*", "errors", EVERYWHERE, "4.0 adds an entry of OSSL_PARAM_get"),
    known("*", "init*", "errors", EVERYWHERE, "4.0 adds an entry of OSSL_PARAM_get"),
];

/// The entry that this difference is, by its place in the table.
pub(crate) fn entry(algorithm: &str, difference: &Difference, version: Version) -> Option<usize> {
    KNOWN.iter().position(|known| {
        known.holds.holds(version)
            && matches(known.algorithm, algorithm)
            && matches(known.call, &difference.call)
            && matches(known.kind, &difference.kind)
    })
}

/// The entries that this version could meet.
pub(crate) fn entries(version: Version) -> impl Iterator<Item = (usize, &'static Known)> {
    KNOWN.iter().enumerate().filter(move |(_, known)| known.holds.holds(version))
}

impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {} ({})", self.algorithm, self.call, self.kind, self.reason)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    (0..=rest.len()).any(|at| rest.is_char_boundary(at) && matches(after, &rest[at..]))
}
