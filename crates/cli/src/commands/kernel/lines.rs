//! Lines in /etc/modprobe.d that let the kernel load the drivers of one's choice, and their way out.
//!
//! The article's `alias aes padlock` in its modern form. When somebody wants an algorithm for which no
//! driver is loaded, the kernel asks modprobe for `crypto-NAME`, then for `crypto-NAME-all`, and only
//! then builds the algorithm from its parts (`crypto_larval_lookup` in crypto/api.c). NAME is the whole
//! name, such as `authenc(hmac(sha1),cbc(aes))`, and it is asked for even where `aes` is built in.
//!
//! Our lines answer to the second question. So they push nothing aside that answers to the first, and a
//! driver that wants a fallback while it is being loaded, as padlock-sha does, cannot end up waiting for
//! itself: a request for a fallback has no second question.

/// The file that is ours in the folder that modprobe reads.
pub(super) const FILE: &str = "/etc/modprobe.d/wirespeed.conf";

/// What loads the drivers of one's choice where they are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Preference {
    /// The word for it: "padlock", or a module's name.
    pub(super) name: String,
    /// The modules that the drivers come in.
    pub(super) modules: Vec<String>,
    /// Lines in modprobe.d(5)'s words.
    lines: Vec<String>,
}

/// The word for PadLock's drivers.
pub(super) const PADLOCK: &str = "padlock";

/// The modules whose users get their crypto from the kernel's drivers: who loads one of these wants them.
const USERS: [&str; 6] = ["dm-crypt", "algif_skcipher", "algif_aead", "algif_hash", "esp4", "esp6"];

impl Preference {
    /// PadLock's two modules, or the one module of that name.
    pub(super) fn named(name: &str) -> Self {
        if name != PADLOCK {
            let brings = |user: &str| format!("softdep {user} pre: {name}");
            return Self {
                name: name.to_owned(),
                modules: vec![name.to_owned()],
                lines: USERS.map(brings).to_vec(),
            };
        }
        let lines = [
            "alias crypto-*aes*-all padlock-aes",
            "alias crypto-*sha1*-all padlock-sha",
            "alias crypto-*sha256*-all padlock-sha",
            "# A kernel with sha1 and sha256 built in never asks for them: they come along with AES.",
            "softdep padlock-aes post: padlock-sha",
            "# Modes that the kernel made for itself at boot it never asks for again: PadLock comes with their users.",
            "softdep dm-crypt pre: padlock-aes",
            "softdep algif_skcipher pre: padlock-aes",
            "softdep esp4 pre: padlock-aes",
            "softdep esp6 pre: padlock-aes",
        ];
        Self {
            name: name.to_owned(),
            modules: vec!["padlock-aes".to_owned(), "padlock-sha".to_owned()],
            lines: lines.map(str::to_owned).to_vec(),
        }
    }

    fn beginning(&self) -> String {
        let Self { name, .. } = self;
        format!("{BEGINNING}{name}{BACK}")
    }

    fn end(&self) -> String {
        format!("{END}{}", self.name)
    }
}

const BEGINNING: &str = "# begin: wirespeed kernel --prefer ";
const BACK: &str = "; back: wirespeed kernel --unprefer";
const END: &str = "# end: wirespeed kernel --prefer ";

/// What was there before our lines, as they say themselves, so that it can be there again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    NoFile,
    Lines,
    /// The last line had no end.
    UnfinishedLine,
}

impl Before {
    const ALL: [Self; 3] = [Self::NoFile, Self::Lines, Self::UnfinishedLine];

    fn of(text: Option<&[u8]>) -> Self {
        match text {
            None => Self::NoFile,
            Some([.., last]) if *last != b'\n' => Self::UnfinishedLine,
            Some(_) => Self::Lines,
        }
    }

    const fn note(self) -> &'static str {
        match self {
            Self::NoFile => "# before: no file",
            Self::Lines => "# before: what stands above",
            Self::UnfinishedLine => "# before: what stands above, its last line without an end",
        }
    }
}

/// The file with the lines of a preference at its end, once.
pub(super) fn added(text: Option<&[u8]>, preference: &Preference) -> Vec<u8> {
    let bare = text.and_then(removed);
    let before = Before::of(bare.as_deref());
    let mut text = bare.unwrap_or_default();
    if before == Before::UnfinishedLine {
        text.push(b'\n');
    }
    let (begin, end) = (preference.beginning(), preference.end());
    let lines = preference.lines.iter().map(String::as_str);
    for line in [&begin, before.note()].into_iter().chain(lines).chain([end.as_str()]) {
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    }
    text
}

/// The file without our lines; none if there was no file before them.
pub(super) fn removed(text: &[u8]) -> Option<Vec<u8>> {
    let Some(preference) = preferred(text) else { return Some(text.to_vec()) };
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let place = |wanted: &str| lines.iter().position(|line| bare(line) == wanted.as_bytes());
    let Some(begin) = place(&preference.beginning()) else { return Some(text.to_vec()) };
    let end = place(&preference.end()).filter(|end| *end > begin);
    let end = end.map_or(lines.len(), |end| end + 1);
    let said = |before: &Before| {
        lines[begin..end].iter().any(|line| bare(line) == before.note().as_bytes())
    };
    let before = Before::ALL.into_iter().find(said).unwrap_or(Before::Lines);
    let mut kept = lines[..begin].concat();
    // What somebody else wrote between our lines stays too.
    let inside = lines[begin..end].iter().filter(|line| !preference.has(line));
    let rest: Vec<&[u8]> = inside.chain(&lines[end..]).copied().collect();
    if before == Before::UnfinishedLine && rest.is_empty() {
        kept.pop();
    }
    kept.extend(rest.concat());
    if before == Before::NoFile && kept.is_empty() { None } else { Some(kept) }
}

/// Whose lines of ours are in the file.
pub(super) fn preferred(text: &[u8]) -> Option<Preference> {
    let lines = text.split(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
    let mut names = lines.filter_map(|line| line.strip_prefix(BEGINNING)?.strip_suffix(BACK));
    names.next().map(Preference::named)
}

impl Preference {
    /// Whether a line is one of those that it writes.
    fn has(&self, line: &[u8]) -> bool {
        let notes = Before::ALL.map(|before| before.note().to_owned());
        let mut ours = self.lines.iter().cloned().chain(notes);
        let marks = [self.beginning(), self.end()];
        ours.any(|ours| ours.as_bytes() == bare(line))
            || marks.iter().any(|mark| mark.as_bytes() == bare(line))
    }
}

/// A line without its end.
fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_taken_back_to_the_byte() {
        for text in [
            None,
            Some(""),
            Some("options snd index=-2\n"),
            Some("options snd index=-2"),
            Some("a\n\n"),
            Some("a\r\nb"),
            Some("\n"),
        ] {
            for name in [PADLOCK, "virtio_crypto"] {
                let before = text.map(str::as_bytes);
                let preference = Preference::named(name);
                let after = added(before, &preference);
                assert_eq!(preferred(&after).as_ref(), Some(&preference));
                assert_eq!(before.and_then(preferred), None);
                assert!(after.starts_with(before.unwrap_or_default()), "{text:?}");
                assert_eq!(added(Some(&after), &preference), after, "once is enough");
                assert_eq!(removed(&after).as_deref(), before, "{text:?}");
            }
        }
    }

    #[test]
    fn lines_of_others_stay_wherever_they_are() {
        let padlock = Preference::named(PADLOCK);
        let ours = String::from_utf8(added(Some(b"above"), &padlock)).expect("text");
        let softdep = "softdep padlock-aes post: padlock-sha\n";
        let edited = ours.replace(softdep, &format!("options x y=1\n{softdep}")) + "below\n";
        let kept = removed(edited.as_bytes()).expect("a file");
        assert_eq!(kept, b"above\noptions x y=1\nbelow\n");
        // Without the end, and with our very words outside of our lines.
        let edited = softdep.to_owned() + &ours.replace(&padlock.end(), "").replace("above\n", "");
        assert_eq!(removed(edited.as_bytes()), Some([softdep, "\n"].concat().into_bytes()));
        let file = String::from_utf8(added(None, &padlock)).expect("text") + "below\n";
        assert_eq!(removed(file.as_bytes()).as_deref(), Some(&b"below\n"[..]));
    }

    #[test]
    fn a_file_that_is_not_ours_stays_as_it_is() {
        for text in ["", "alias crypto-*aes*-all padlock-aes\n", "no end"] {
            assert_eq!(removed(text.as_bytes()).as_deref(), Some(text.as_bytes()));
        }
    }
}
