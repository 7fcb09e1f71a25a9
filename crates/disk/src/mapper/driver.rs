//! Which driver the kernel took: the one that has more users than before.

use std::collections::HashMap;
use std::fs;

/// How often every driver of an algorithm is used, as /proc/crypto counts: by (algorithm, driver).
pub(super) struct Users(HashMap<(String, String), u64>);

impl Users {
    /// Now.
    pub(super) fn now() -> Self {
        let text = fs::read_to_string(wirespeed_kernel::drivers::LIST).unwrap_or_default();
        Self::read(&text)
    }

    fn read(text: &str) -> Self {
        let of = |block: &str| {
            let value = |wanted: &str| {
                block.lines().find_map(|line| {
                    let (key, value) = line.split_once(':')?;
                    (key.trim() == wanted).then(|| value.trim().to_owned())
                })
            };
            Some(((value("name")?, value("driver")?), value("refcnt")?.parse().ok()?))
        };
        Self(text.split("\n\n").filter_map(of).collect())
    }

    /// The driver that `name` has been found to mean since: the name is an algorithm's or a driver's own.
    ///
    /// Inner drivers have new users too: the one of the whole is meant, which is used once more.
    pub(super) fn newcomer(&self, later: &Self, name: &str) -> Option<String> {
        // A driver is its own first user: one that has only been registered since does nothing yet.
        let has_more = |key: &(String, String)| {
            later.0.get(key).copied().unwrap_or(1) > self.0.get(key).copied().unwrap_or(1)
        };
        let of = |wanted: &str| {
            let mut found = later.0.keys().filter(|key| key.0 == wanted && has_more(key));
            // Another that is used more since then would leave it open.
            found.next().filter(|_| found.next().is_none())
        };
        // A driver that was asked for may be found under the algorithm that it serves, written out.
        let exact = later.0.keys().find(|key| key.1 == name && has_more(key));
        let found = exact.or_else(|| of(name)).or_else(|| of(&plain(name)));
        found.map(|(_, driver)| driver.clone())
    }
}

/// The algorithm that a driver's name stands for: `cbc(aes-generic)` is a `cbc(aes)`.
fn plain(name: &str) -> String {
    name.replace("-generic", "").replace("-lib", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str, driver: &str, users: u64) -> String {
        format!("name         : {name}\ndriver       : {driver}\nrefcnt       : {users}\n\n")
    }

    fn newcomer(before: &[String], after: &[String], name: &str) -> Option<String> {
        Users::read(&before.concat()).newcomer(&Users::read(&after.concat()), name)
    }

    #[test]
    fn the_one_with_a_user_more() {
        let before = [block("xts(aes)", "xts-aes-aesni", 1), block("xts(aes)", "other", 4)];
        let after = [block("xts(aes)", "xts-aes-aesni", 2), block("xts(aes)", "other", 4)];
        assert_eq!(newcomer(&before, &after, "xts(aes)").as_deref(), Some("xts-aes-aesni"));
        assert_eq!(newcomer(&after, &after, "xts(aes)"), None);
    }

    #[test]
    fn one_that_was_not_there_before_and_its_parts() {
        let after = [
            block("cbc(aes)", "cbc(aes-generic)", 2),
            block("aes", "aes-generic", 2),
            block("cbc(aes)", "cbc-aes-aesni", 1),
        ];
        let before = [block("aes", "aes-generic", 1), block("cbc(aes)", "cbc-aes-aesni", 1)];
        let found = newcomer(&before, &after, "cbc(aes-generic)");
        assert_eq!(found.as_deref(), Some("cbc(aes-generic)"));
        let longer = [block("xts(aes)", "xts(ecb(aes-generic))", 2)];
        let found = newcomer(&before, &longer, "xts(aes-generic)");
        assert_eq!(found.as_deref(), Some("xts(ecb(aes-generic))"));
    }

    #[test]
    fn those_that_were_only_loaded_with_it_are_not_meant() {
        let after = [
            block("cbc(serpent)", "cbc-serpent-avx2", 2),
            block("cbc(serpent)", "cbc-serpent-avx", 1),
            block("cbc(serpent)", "cbc-serpent-sse2", 1),
        ];
        assert_eq!(newcomer(&[], &after, "cbc(serpent)").as_deref(), Some("cbc-serpent-avx2"));
    }

    #[test]
    fn what_is_not_certain_is_not_told() {
        let after = [block("cbc(aes)", "one", 2), block("cbc(aes)", "two", 2)];
        assert_eq!(newcomer(&[], &after, "cbc(aes)"), None);
    }
}
