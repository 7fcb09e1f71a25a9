//! Which driver the kernel took: the one that has more users than before.

use std::collections::HashMap;
use std::time::Duration;
use std::{fs, thread};

use wirespeed_af_alg::drivers::{LIST, value};

/// How often the kernel's list is read at most, and how long after the last time.
const READINGS: usize = 30;
const PAUSE: Duration = Duration::from_millis(5);

/// How often every driver of an algorithm is used, as /proc/crypto counts: by (algorithm, driver).
pub(super) struct Users(HashMap<(String, String), u64>);

impl Users {
    /// Now; where drivers are just coming, as soon as that is over.
    pub(super) fn now() -> Self {
        let list = || fs::read_to_string(LIST).unwrap_or_default();
        Self::read(&settled(list))
    }

    fn read(text: &str) -> Self {
        let of = |block: &str| {
            let name = (value(block, "name")?, value(block, "driver")?);
            Some(((name.0.to_owned(), name.1.to_owned()), users(block)?))
        };
        Self(text.split("\n\n").filter_map(of).collect())
    }

    /// The driver that `name` has come to mean since, which has just been mapped.
    pub(super) fn mapped(&self, name: &str) -> Option<String> {
        (0..READINGS).find_map(|reading| {
            if reading > 0 {
                thread::sleep(PAUSE);
            }
            self.newcomer(&Self::now(), name)
        })
    }

    /// The driver that `name` has been found to mean since: the name is an algorithm's or a driver's own.
    ///
    /// Inner drivers have new users too: the one of the whole is meant, which is used once more.
    fn newcomer(&self, later: &Self, name: &str) -> Option<String> {
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

/// What `list` says twice, and with no test under way: the kernel's own test of a driver is a user of it too, and the
/// list comes in pieces, so that a driver may fall between two of them when others come or go.
fn settled(mut list: impl FnMut() -> String) -> String {
    let mut last = list();
    for _ in 1..READINGS {
        let before = std::mem::replace(&mut last, list());
        if last == before && !last.split("\n\n").any(is_in_test) {
            break;
        }
        thread::sleep(PAUSE);
    }
    last
}

/// Whether this driver is used, and not yet by those who ask for it. One that has failed has no users.
fn is_in_test(block: &str) -> bool {
    value(block, "selftest") == Some("unknown") && users(block) > Some(1)
}

fn users(block: &str) -> Option<u64> {
    value(block, "refcnt")?.parse().ok()
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
    fn tests_of_the_kernel_and_gaps_are_waited_for() {
        let [first, second] = ["one", "two"].map(|driver| block("cbc(aes)", driver, 2));
        let testing = second.replace("\n\n", "\nselftest     : unknown\n\n");
        let whole = format!("{first}{second}");
        let said = [&testing, &testing, &first, &whole, &whole].map(String::as_str);
        let mut readings = said.iter();
        assert_eq!(settled(|| (*readings.next().expect("no more than these")).to_owned()), whole);
        // What never passes its test, and is used by nobody, is not waited for.
        let failed = testing.replace(": 2", ": 1");
        let mut readings = [&failed, &failed].into_iter();
        assert_eq!(settled(|| readings.next().expect("no more than these").clone()), failed);
    }

    #[test]
    fn what_is_not_certain_is_not_told() {
        let after = [block("cbc(aes)", "one", 2), block("cbc(aes)", "two", 2)];
        assert_eq!(newcomer(&[], &after, "cbc(aes)"), None);
    }
}
