//! Texts as people paste them, against what INDEX.md says is in them; and texts cut, mixed and broken by chance.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use wirespeed_results::compare::rank;
use wirespeed_results::schema::{bench, disk};
use wirespeed_results::{Content, Purpose, Results, Text, computers};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pasted"))
}

fn text(name: &str) -> String {
    let path = folder().join(format!("{name}.txt"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(label: &str, text: &str) -> Vec<Results> {
    Text::Printed(text.to_owned()).read(label).unwrap_or_default()
}

fn rates(results: &[Results]) -> Vec<&bench::Row> {
    let rows = results.iter().filter_map(|it| match &it.content {
        Content::Bench(bench) => Some(&bench.rows),
        _ => None,
    });
    rows.flatten().collect()
}

fn sectors(results: &[Results]) -> Vec<&disk::Row> {
    let rows = results.iter().filter_map(|it| match &it.content {
        Content::Disk(disk) => Some(&disk.rows),
        _ => None,
    });
    rows.flatten().collect()
}

/// A row of INDEX.md.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    file: String,
    rates: usize,
    sectors: usize,
    /// The OpenSSLs.
    versions: String,
    /// The last figure of algorithms, or else of disks.
    figure: String,
    /// What is said of it, sentence by sentence.
    said: Vec<String>,
}

impl Entry {
    fn of_line(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split('|').map(str::trim).collect();
        let [file, rates, sectors, versions, figure, said, _origin, ""] = cells[..] else {
            panic!("INDEX.md: {line}")
        };
        Some(Self {
            file: file.trim_matches('`').to_owned(),
            rates: rates.parse().expect("a number"),
            sectors: sectors.parse().expect("a number"),
            versions: versions.to_owned(),
            figure: figure.trim_matches('`').to_owned(),
            said: said.split("; ").filter(|it| !it.is_empty()).map(ToOwned::to_owned).collect(),
        })
    }

    fn of_text(file: &str) -> Self {
        let found = read(file, &text(file));
        let versions: Vec<String> = found
            .iter()
            .filter(|it| matches!(it.content, Content::Bench(_)))
            .map(|it| it.machine.as_ref().and_then(|it| it.openssl()).unwrap_or("-").to_owned())
            .collect();
        let rate = |row: &bench::Row| {
            let by = row.driver.as_deref().unwrap_or(&row.route);
            format!(
                "{} {} {} {} {} {by} {}x {:.0}",
                row.algorithm,
                row.direction,
                row.usage,
                row.size,
                row.api_path,
                row.threads,
                row.bytes_per_second
            )
        };
        let sector = |row: &disk::Row| {
            let (test, speed) = (row.test.clone(), row.bytes_per_second);
            format!(
                "{} {} {} {:.0}",
                row.cipher,
                row.key_bits,
                test.unwrap_or_default(),
                speed.unwrap_or(0.0)
            )
        };
        let (rates, sectors) = (rates(&found), sectors(&found));
        let last = rates.last().map(|row| rate(row));
        Self {
            file: file.to_owned(),
            rates: rates.len(),
            sectors: sectors.len(),
            versions: versions.join(", "),
            figure: last.or_else(|| sectors.last().map(|row| sector(row))).unwrap_or_default(),
            said: found.iter().flat_map(|it| it.warnings.clone()).collect(),
        }
    }
}

#[test]
fn every_text_is_read_as_the_index_says() {
    let index = fs::read_to_string(folder().join("INDEX.md")).expect("an index");
    let entries: Vec<Entry> = index.lines().filter_map(Entry::of_line).collect();
    assert!(entries.len() >= 30, "{} texts", entries.len());
    let listed: BTreeSet<&str> = entries.iter().map(|it| it.file.as_str()).collect();
    let files = fs::read_dir(folder()).expect("a folder").map(|it| it.expect("a file").path());
    let there: BTreeSet<String> = files
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(there.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
    let mut wrong = Vec::new();
    for expected in &entries {
        let found = Entry::of_text(&expected.file);
        let is_said = found.said.len() == expected.said.len()
            && found.said.iter().zip(&expected.said).all(|(found, begin)| found.starts_with(begin));
        let same = Entry { said: Vec::new(), ..found };
        let wanted = Entry {
            said: Vec::new(),
            ..Entry::of_line(&line_of(&index, &expected.file)).expect("it")
        };
        if same != wanted || !is_said {
            wrong.push(format!("{:#?}", Entry::of_text(&expected.file)));
        }
    }
    assert!(wrong.is_empty(), "not as INDEX.md says:\n{}", wrong.join("\n"));
}

fn line_of(index: &str, file: &str) -> String {
    let begin = format!("| `{file}` ");
    index.lines().find(|line| line.starts_with(&begin)).expect("a line").to_owned()
}
/// What stands for a figure, whatever else is said of it.
fn works(results: &[Results]) -> BTreeSet<String> {
    let of_rate = |row: &&bench::Row| format!("{} {}", row.algorithm, row.size);
    let of_sector = |row: &&disk::Row| format!("{} {} {:?}", row.cipher, row.key_bits, row.test);
    let rates: BTreeSet<String> = rates(results).iter().map(of_rate).collect();
    rates.into_iter().chain(sectors(results).iter().map(of_sector)).collect()
}

/// What holds of every result, however bad its text.
fn is_sound(results: &[Results]) -> bool {
    let is_speed = |speed: f64| speed.is_finite() && speed > 0.0;
    let rates = rates(results);
    let is_rate = |row: &&bench::Row| {
        is_speed(row.bytes_per_second)
            && row.size > 0
            && row.threads > 0
            && !row.algorithm.is_empty()
            && ["enc", "dec", "hash"].contains(&row.direction.as_str())
            && ["message", "stream", "rekey"].contains(&row.usage.as_str())
            && ["evp", "direct"].contains(&row.api_path.as_str())
    };
    let is_sector =
        |row: &&disk::Row| row.bytes_per_second.is_some_and(is_speed) && row.key_bits > 0;
    let has_some = |it: &Results| match &it.content {
        Content::Bench(bench) => !bench.rows.is_empty(),
        Content::Disk(disk) => !disk.rows.is_empty(),
        Content::Survey(_) | Content::Vpn(_) => false,
    };
    rates.iter().all(is_rate)
        && sectors(results).iter().all(is_sector)
        && results.iter().all(|it| has_some(it) && it.source.is_some())
}

fn texts() -> Vec<(String, String)> {
    let files = fs::read_dir(folder()).expect("a folder").map(|it| it.expect("a file").path());
    let mut texts: Vec<(String, String)> = files
        .filter(|path| path.extension().is_some_and(|it| it == "txt"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .map(|name| (text(&name), name))
        .map(|(text, name)| (name, text))
        .collect();
    texts.sort();
    texts
}

#[test]
fn a_text_that_is_cut_says_less_and_nothing_else() {
    for (name, text) in texts() {
        let whole = works(&read(&name, &text));
        // Not every place, for the time that it would take.
        for (end, _) in text.char_indices().step_by(11) {
            let results = read(&name, &text[..end]);
            let works = works(&results);
            assert!(is_sound(&results) && works.is_subset(&whole), "{name} to byte {end}");
        }
    }
}

#[test]
fn what_people_say_between_the_lines_changes_no_figure() {
    for (name, text) in texts() {
        let quiet = read(&name, &text);
        let talk = "I would not have thought so.\n";
        let between: String = text.lines().map(|line| format!("{line}\n{talk}")).collect();
        let loud = read(&name, &(talk.to_owned() + &between));
        assert_eq!(rates(&quiet), rates(&loud), "{name}");
        assert_eq!(sectors(&quiet), sectors(&loud), "{name}");
        let warnings = loud.first().map_or(String::new(), |it| it.warnings.join(" "));
        let is_named = warnings.contains("not understood") || warnings.contains("passed over");
        assert!(is_named || loud.is_empty(), "{name}: {warnings}");
    }
}

/// Marsaglia's xorshift: the same texts in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

#[test]
fn mixed_and_broken_texts_are_read_soundly() {
    let texts = texts();
    let lines: Vec<&str> = texts.iter().flat_map(|(_, text)| text.lines()).collect();
    let mut chance = Chance(0x5eed);
    let mut read_some = 0;
    for _ in 0..4000 {
        let picked: Vec<&str> =
            (0..chance.below(30)).map(|_| lines[chance.below(lines.len())]).collect();
        let mut bytes = picked.join("\n").into_bytes();
        for _ in 0..chance.below(6) {
            let place = chance.below(bytes.len());
            match (bytes.get_mut(place), chance.below(3)) {
                (Some(byte), 0) => *byte = chance.below(256) as u8,
                (Some(_), 1) => drop(bytes.remove(place)),
                (Some(_), _) => bytes.truncate(place),
                (None, _) => {}
            }
        }
        let results = Text::of(&bytes).read("chance").unwrap_or_default();
        read_some += usize::from(!results.is_empty());
        assert!(is_sound(&results), "{}", String::from_utf8_lossy(&bytes));
    }
    assert!(read_some > 1000, "{read_some} texts had figures");
}

#[test]
fn algorithms_and_disks_of_one_text_are_one_machine() {
    let both = text("pi5-cbc") + &text("pi5-adiantum");
    let results = read("Pi 5", &both);
    let machines = computers(&results);
    assert_eq!((results.len(), machines.len()), (2, 1));
    let source = "As printed by openssl speed and cryptsetup benchmark";
    assert_eq!((machines[0].label.as_str(), machines[0].source()), ("Pi 5", Some(source)));
}

#[test]
fn of_figures_for_the_same_work_the_fastest_counts() {
    let results = read("boards", &text("three-boards-in-one"));
    let (ranked, _) = rank(&computers(&results), Purpose::Disk);
    // 475.3 MiB/s of the second board, not 85.8 of the first.
    let mebibytes = ranked[0].bytes_per_second / f64::from(1 << 20);
    assert_eq!((ranked[0].work.as_str(), mebibytes), ("aes-xts-plain64 256 in memory", 475.3));
}

#[test]
fn two_libraries_in_one_text_are_two_columns() {
    let two = text("macbook-gcm-3.0") + &text("ryzen-gcm-1.1.1");
    let results = read("here", &two);
    let labels: Vec<&str> = results.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(labels, ["here, OpenSSL 3.0.8", "here, OpenSSL 1.1.1g"]);
    assert!(results.iter().all(|it| rates(std::slice::from_ref(it)).len() == 6));
}

#[test]
fn a_row_that_was_wrapped_is_whole() {
    let wrapped = "type             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes\n16384 bytes\n\
                   aes-128-cbc     163161.40k   436259.80k   729289.90k   906723.33k   975929.34k\n981144.92k\n";
    let results = read("here", wrapped);
    let rates = rates(&results);
    assert_eq!(
        (rates.len(), rates[5].size, rates[5].bytes_per_second),
        (6, 16384, 981_144.92 * 1e3)
    );
    assert!(results[0].warnings.is_empty(), "{:?}", results[0].warnings);
}

#[test]
fn the_command_says_what_a_table_does_not() {
    let table = "type             16 bytes     64 bytes\nAES-128-CBC      1000.00k     2000.00k\n";
    let results =
        read("here", &format!("$ openssl speed -evp aes-128-cbc -decrypt -multi 4\n{table}"));
    let rows = rates(&results);
    assert_eq!((rows[0].direction.as_str(), rows[0].threads), ("dec", 4));
    let Content::Bench(bench) = &results[0].content else { panic!("no algorithms") };
    assert_eq!(bench.clock.as_deref(), Some("wall"));
    // A machine that is made slower is not compared with others.
    let masked = read(
        "here",
        &format!("OPENSSL_ia32cap=~0x200000200000000 openssl speed -evp aes-128-cbc\n{table}"),
    );
    assert_eq!(rates(&masked)[0].without.as_deref(), Some("~0x200000200000000"));
}

/// Until 1.1.1 the table of several processes calls everything so.
#[test]
fn what_several_processes_call_evp_has_a_name() {
    let progress = "Forked child 0\n+DT:aes-128-cbc:3:16\nForked child 1\n+DT:aes-128-cbc:3:16\n";
    let got = "Got: +F:22:aes-128-cbc:1000000.00:2000000.00 from 0\n\
               Got: +F:22:aes-128-cbc:1000000.00:2000000.00 from 1\n";
    let table = "OpenSSL 1.0.2k  26 Jan 2017\ntype             16 bytes     64 bytes\n\
                 evp               2000.00k     4000.00k\n";
    let head = "Got: +H:16:64 from 0\n";
    for text in [format!("{progress}{head}{got}{table}"), format!("{progress}{table}")] {
        let results = read("here", &text);
        let rows = rates(&results);
        let all: Vec<_> = rows.iter().map(|row| (&*row.algorithm, row.size, row.threads)).collect();
        assert_eq!(all, [("AES-128-CBC", 16, 2), ("AES-128-CBC", 64, 2)]);
        assert_eq!(rows[1].bytes_per_second, 4e6);
    }
    // Without the table it is the sum.
    let results = read("here", &format!("{progress}{head}{got}"));
    assert_eq!(rates(&results)[1].bytes_per_second, 4e6);
    let nobody = Text::Printed(table.to_owned()).read("here").expect_err("no name").to_string();
    assert_eq!(nobody, "its figures are of algorithms that are not named: Line 3");
}

#[test]
fn files_of_every_kind_of_letters_are_read() {
    let text = text("pi5-cbc");
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let windows = [&[0xff, 0xfe][..], &wide].concat();
    let old = [&b"Gr\xfc\xdfe\n"[..], text.as_bytes()].concat();
    for bytes in
        [windows, old, [&b"\xef\xbb\xbf"[..], text.replace('\n', "\r\n").as_bytes()].concat()]
    {
        let results = Text::of(&bytes).read("here").expect("figures");
        assert_eq!(rates(&results).len(), 6);
    }
    let said = |text: &str| match Text::of(text.as_bytes()).read("here") {
        Ok(results) => panic!("{results:?}"),
        Err(why) => why.to_string(),
    };
    assert!(said("").starts_with("no JSON, and no figures as openssl speed"), "{}", said(""));
    assert_eq!(
        said("openssl speed -evp aes-128-cbc\n"),
        "openssl speed began there, but its figures are cut off"
    );
    let keys = "rsa 2048 bits 0.000797s 0.000035s   1255.3  28400.5\n\
                ML-KEM-768 0.000067s 0.000058s 0.000092s   14898.0   17340.4   10811.0\n";
    assert_eq!(
        said(keys),
        "its figures are about public keys, which are not compared: Lines 1 and 2"
    );
    let zeros = self::text("alpha-of-3.0-zeros");
    assert!(said(&zeros).ends_with("(nothing done, negative or cut): Line 9"), "{}", said(&zeros));
}
