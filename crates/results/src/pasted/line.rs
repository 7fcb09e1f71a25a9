//! One line, by itself: what kind of line it is.

use super::algorithm::Algorithm;
use super::command::Command;
use super::facts::Fact;
use super::figure::Figure;
use super::sectors;
use crate::schema::disk;

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// Nothing: it is empty, or known and of no use.
    Nothing,
    /// `openssl speed …` as it was typed.
    Command(Command),
    /// Elapsed time was measured.
    Elapsed,
    /// An engine was chosen.
    Engine(String),
    /// So many processes there are at least.
    Processes(usize),
    /// "OpenSSL 1.1.1b".
    Version(String),
    /// The head of a table, or a part of it on a line of its own.
    Sizes { sizes: Vec<usize>, is_head: bool },
    /// A row of a table.
    Row { name: String, figures: Vec<Figure> },
    /// The rest of one on a line of its own.
    Figures(Vec<Figure>),
    /// A row for machines, of one of several processes if it says so.
    MachineReadable { name: String, figures: Vec<Figure>, process: Option<usize> },
    /// What was begun, and how it ended if the line says that.
    Begun { name: String, size: usize, ended: Option<Ended> },
    /// How what was begun before ended; for machines with its name.
    Ended { name: Option<String>, ended: Ended },
    /// Something about public keys.
    PublicKey,
    /// Rows of `cryptsetup benchmark`.
    Sectors(Vec<disk::Row>),
    /// The first line of a file of sbc-bench's, and the machine that it names.
    SbcBench(String),
    /// Something about the machine.
    Machine(Fact),
    /// It is not known what.
    Unknown,
}

/// Calls, and the seconds that they took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ended {
    pub(super) calls: f64,
    pub(super) seconds: f64,
}

/// More sizes in a row nobody has.
const MOST_SIZES: usize = 16;

/// What lines of no use begin with.
const OF_NO_USE: [&str; 30] = [
    "The 'numbers' are in",
    "built on",
    "options:",
    "options ",
    "compiler:",
    "C flags:",
    "CPUINFO:",
    "platform:",
    "OPENSSLDIR:",
    "ENGINESDIR:",
    "MODULESDIR:",
    "Seeding source:",
    "PBKDF2-",
    "argon2i",
    "(dynamic)",
    "(devcrypto)",
    "(afalg)",
    "(padlock)",
    "(rdrand)",
    "/dev/crypto not present",
    "Command being timed:",
    "Algorithm Key Encryption Decryption",
    "[ available ]",
    "[ unavailable ]",
    "cryptsetup benchmark",
    "cat /proc/",
    "uname ",
    "...",
    "[...]",
    "…",
];

/// What lines about public keys have in them.
const PUBLIC_KEYS: [&str; 14] = [
    " bits private ",
    " bits public ",
    " bits rsa",
    " bits sign ",
    " bits verify ",
    " bits ecd",
    " bits EdDSA",
    " bits SM2",
    " bits ffdh",
    "sign verify",
    "op op/s",
    "keygen encaps",
    "keygen signs",
    " bit ecd",
];

/// A line without what forums, terminals and Markdown put around and into it.
pub(super) fn clean(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            // A terminal's colours: ESC [ … letter.
            '\u{1b}' => {
                if letters.next_if_eq(&'[').is_some() {
                    while letters.next_if(|it| !it.is_ascii_alphabetic()).is_some() {}
                    letters.next();
                }
            }
            '\u{2018}' | '\u{2019}' | '\u{b4}' => text.push('\''),
            '|' | '\u{a0}' | '\t' | '\r' => text.push(' '),
            '*' | '\u{feff}' | '\u{200b}' => {}
            letter => text.push(letter),
        }
    }
    for tag in [
        "[code]", "[/code]", "[CODE]", "[/CODE]", "[quote]", "[/quote]", "<pre>", "</pre>",
        "<code>", "</code>",
    ] {
        if text.contains(tag) {
            text = text.replace(tag, "");
        }
    }
    text.trim_start_matches(['>', ' ']).trim_matches([' ', '`']).to_owned()
}

impl Line {
    /// Says what a clean line is.
    pub(super) fn parse(line: &str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(first) = words.first() else { return Self::Nothing };
        if let Some(command) = Command::parse(line) {
            return Self::Command(command);
        }
        if line.starts_with("You have chosen to measure elapsed time") {
            return Self::Elapsed;
        }
        of_version(&words)
            .or_else(|| of_machine_readable(line))
            .or_else(|| of_measuring(&words))
            .or_else(|| of_sizes(&words))
            .or_else(|| {
                sectors::parse(&words).filter(|_| !sectors::is_absent(&words)).map(Self::Sectors)
            })
            .or_else(|| of_setting(&words))
            .or_else(|| of_public_keys(&words))
            .or_else(|| of_row(&words))
            .or_else(|| Fact::parse(line).map(Self::Machine))
            .unwrap_or_else(|| {
                let is_of_no_use = OF_NO_USE.iter().any(|it| words.join(" ").starts_with(it));
                // A prompt, a comment, a heading, a rule.
                let is_prompt = first.ends_with(['#', '$', '%', '~', ':'])
                    && first.contains(['@', '#', '$', '%'])
                    || *first == "$"
                    || words.get(1).is_some_and(|it| ["#", "$", "❯"].contains(it));
                let is_rule = line.chars().all(|it| "-=#_+~ ".contains(it));
                let is_absent = sectors::is_absent(&words);
                match is_of_no_use || is_prompt || is_rule || is_absent || is_bracketed(line) {
                    true => Self::Nothing,
                    false => Self::Unknown,
                }
            })
    }
}

/// What an engine can do, `[DES-CBC, AES-128-CBC]`, or a line of the kernel's log, `[  106.196295] …`.
fn is_bracketed(line: &str) -> bool {
    let Some((inside, rest)) = line.strip_prefix('[').and_then(|it| it.split_once(']')) else {
        return false;
    };
    let is_list = rest.is_empty() && ["-CBC", "-CTR", "RSA"].iter().any(|it| inside.contains(it));
    is_list || inside.trim().parse::<f64>().is_ok()
}

/// `OpenSSL 1.1.1b  26 Feb 2019`, `version: 3.0.8`, `LibreSSL 2.6.4`, and sbc-bench's `OpenSSL 1.1.1, built on …`.
fn of_version(words: &[&str]) -> Option<Line> {
    let (product, version, rest) = match words {
        ["version:", version, rest @ ..] => ("OpenSSL", *version, rest),
        ["OpenSSL", "(version", version, rest @ ..] => ("OpenSSL", *version, rest),
        [product @ ("OpenSSL" | "LibreSSL" | "SSLeay" | "SLeay"), version, rest @ ..] => {
            (*product, *version, rest)
        }
        _ => return None,
    };
    let version = version.trim_end_matches(',');
    let is_version = version.starts_with(|it: char| it.is_ascii_digit())
        && version.len() <= 32
        && version.chars().all(|it| it.is_ascii_alphanumeric() || ".-+_".contains(it));
    let is_told_so = match rest.first() {
        None => true,
        Some(word) => {
            ["built", "(Library", "(Library:", "xx"].contains(word)
                || word.starts_with(|it: char| it.is_ascii_digit())
        }
    };
    (is_version && is_told_so).then(|| Line::Version(format!("{product} {version}")))
}

/// `+H:16:64`, `+F:22:aes-128-cbc:1.00:2.00`, `+DT:…`, `+R:…`, behind `Got: ` those of one process.
fn of_machine_readable(line: &str) -> Option<Line> {
    let (line, process) = match line.strip_prefix("Got: ") {
        Some(got) => {
            let (line, process) = got.rsplit_once(" from ").unwrap_or((got, "0"));
            (line, Some(process.trim().parse().unwrap_or(0)))
        }
        None => (line, None),
    };
    let (kind, rest) = line.strip_prefix('+')?.split_once(':')?;
    let parts: Vec<&str> = rest.split(':').map(str::trim).collect();
    match (kind, parts.as_slice()) {
        ("H", sizes) => {
            let sizes: Option<Vec<usize>> = sizes.iter().map(|it| it.parse().ok()).collect();
            let sizes = sizes.filter(|it| (1..=MOST_SIZES).contains(&it.len()))?;
            Some(Line::Sizes { sizes, is_head: true })
        }
        ("F", [number, name, figures @ ..]) if number.parse::<u32>().is_ok() => {
            let figures = figures.iter().take(MOST_SIZES);
            let figures = figures.map(|it| Figure::of_machine_readable(it)).collect();
            Some(Line::MachineReadable { name: (*name).to_owned(), figures, process })
        }
        ("DT", [name, seconds, size]) => {
            seconds.parse::<u32>().ok()?;
            let size = size.parse().ok()?;
            Some(Line::Begun { name: (*name).to_owned(), size, ended: None })
        }
        ("R", [calls, name, seconds]) => {
            let name = Some((*name).to_owned());
            ended(calls, seconds).map(|ended| Line::Ended { name, ended })
        }
        (kind, _) => {
            let is_number =
                |kind: &str| !kind.is_empty() && kind.chars().all(|it| it.is_ascii_digit());
            let is_public = kind == "DTP"
                || ["F", "R"].iter().any(|it| kind.strip_prefix(it).is_some_and(is_number));
            is_public.then_some(Line::PublicKey)
        }
    }
}

/// `Doing md5 for 3s on 16 size blocks: 8743239 md5's in 2.99s`, in newer releases `… ops`; or the end of it alone.
fn of_measuring(words: &[&str]) -> Option<Line> {
    if let Some(["Doing", rest @ ..]) = Some(words) {
        let begin = rest.windows(6).position(|it| {
            it[0] == "for" && it[2] == "on" && it[4] == "size" && it[5].starts_with("blocks")
        });
        let is_begun = || rest.contains(&"for") && rest.iter().any(|it| it.ends_with("s:"));
        let Some(begin) = begin else { return is_begun().then_some(Line::PublicKey) };
        let name = rest[..begin].join(" ");
        let name = name.strip_suffix(" ops").unwrap_or(&name).to_owned();
        let size = rest[begin + 3].parse().ok()?;
        return Some(Line::Begun { name, size, ended: of_end(&rest[begin + 6..]) });
    }
    let is_public = words
        .iter()
        .any(|it| it.trim_end_matches("-bit").parse::<u32>().is_ok() && it.contains("bit"))
        || words.iter().any(|it| matches!(*it, "bit" | "bits"));
    of_end(words).filter(|_| !is_public).map(|ended| Line::Ended { name: None, ended })
}

/// `8743239 md5's in 2.99s`, `24052955 AES-256-XTS ops in 2.99s`.
fn of_end(words: &[&str]) -> Option<Ended> {
    let [calls, _, .., "in", seconds] = words else { return None };
    ended(calls, seconds.strip_suffix('s')?)
}

fn ended(calls: &str, seconds: &str) -> Option<Ended> {
    let calls = f64::from(calls.parse::<u32>().ok()?);
    let seconds: f64 = seconds.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some(Ended { calls, seconds })
}

/// `type   16 bytes   64 bytes`.
fn of_sizes(words: &[&str]) -> Option<Line> {
    let (is_head, rest) = match words {
        ["type", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    // Wide ones may touch: "65536 bytes131072 bytes".
    let joined = rest.join(" ").replace("bytes", " bytes ");
    let rest: Vec<&str> = joined.split_whitespace().collect();
    let pairs = rest.chunks(2);
    let size = |pair: &[&str]| match pair {
        [size, "bytes"] => size.parse::<usize>().ok().filter(|size| *size > 0),
        _ => None,
    };
    // The last may be cut.
    let sizes: Vec<usize> = pairs.map_while(size).take(MOST_SIZES).collect();
    let is_whole = sizes.len() * 2 == rest.len();
    let is_it = !sizes.is_empty() && (is_head || is_whole);
    is_it.then_some(Line::Sizes { sizes, is_head })
}

/// What chooses how to measure.
fn of_setting(words: &[&str]) -> Option<Line> {
    match words {
        ["engine" | "Engine", name, "set."] => {
            Some(Line::Engine(name.trim_matches(['"', '\'']).to_owned()))
        }
        ["Forked", "child", number] => {
            let number: usize = number.parse().ok()?;
            Some(Line::Processes(number.min(100_000) + 1))
        }
        ["Tested", "with", "sbc-bench", ..] => Some(Line::SbcBench(String::new())),
        ["sbc-bench", version, rest @ ..] if version.starts_with('v') => {
            let model = rest.join(" ");
            let model = model.split(" (").next().unwrap_or_default().trim_start_matches("-- ");
            let is_date = ["Mon,", "Tue,", "Wed,", "Thu,", "Fri,", "Sat,", "Sun,"]
                .iter()
                .any(|day| model.starts_with(day));
            Some(Line::SbcBench(if is_date { String::new() } else { model.to_owned() }))
        }
        _ => None,
    }
}

fn of_public_keys(words: &[&str]) -> Option<Line> {
    let line = words.join(" ");
    let is_table = words.first().is_some_and(|it| matches!(*it, "rsa" | "dsa"))
        && words.get(2).is_some_and(|it| *it == "bits");
    let has_word = PUBLIC_KEYS.iter().any(|it| line.contains(it));
    // "ML-KEM-768 0.000067s 0.000058s 0.000092s 14898.0 …": seconds for each operation.
    let is_time = |word: &&&str| {
        let number = word.strip_suffix('s').filter(|it| it.contains('.'));
        number.is_some_and(|it| it.parse::<f64>().is_ok())
    };
    let has_times = words.iter().filter(is_time).count() >= 2;
    (is_table || has_word || has_times).then_some(Line::PublicKey)
}

/// A name of one or two words and figures, or figures alone.
fn of_row(words: &[&str]) -> Option<Line> {
    let first = words.iter().position(|word| Figure::parse(word).is_some())?;
    let figures: Option<Vec<Figure>> = words[first..].iter().map(|it| Figure::parse(it)).collect();
    let figures = figures.filter(|it| it.len() <= MOST_SIZES)?;
    match words[..first] {
        [] => Some(Line::Figures(figures)),
        [one] if one == "evp" || is_plain(one) => Some(Line::Row { name: one.to_owned(), figures }),
        [one, two] => {
            let name = format!("{one} {two}");
            Algorithm::called(&name).is_some().then_some(Line::Row { name, figures })
        }
        _ => None,
    }
}

/// Whether a word may be the name of an algorithm.
fn is_plain(word: &str) -> bool {
    word.starts_with(|it: char| it.is_ascii_alphabetic())
        && word.chars().all(|it| it.is_ascii_alphanumeric() || "-/()_".contains(it))
}
