//! `wirespeed sum` beside coreutils' own programs: the same bytes, the same messages, the same exit status.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const ALGORITHMS: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

/// Names that are hard to print, to quote or to read back.
const NAMES: [&[u8]; 16] = [
    b"plain",
    b"with space",
    b" leading",
    b"*star",
    b"back\\slash",
    b"new\nline",
    b"carriage\rreturn",
    b"both\\\n",
    b"it's",
    b"paren)thesis",
    b"caf\xc3\xa9",
    b"invalid\xff",
    b"x:y",
    b"\x01",
    b"-dash",
    b"SHA256 (a)",
];

/// A folder in which both programs run.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Self {
        let case = Self { folder: tempfile::tempdir().expect("a folder") };
        for (i, name) in NAMES.iter().enumerate() {
            case.write(name, &vec![i as u8; i * 1000]);
        }
        case.write(b"a", b"hi\n");
        fs::create_dir(case.folder.path().join("dir")).expect("a folder");
        let looping = case.folder.path().join("loop");
        std::os::unix::fs::symlink("loop", looping).expect("a link");
        case
    }

    fn write(&self, name: &[u8], content: &[u8]) {
        fs::write(self.folder.path().join(OsStr::from_bytes(name)), content).expect("written");
    }

    fn run(&self, mut command: Command, arguments: &[&[u8]], input: Option<&[u8]>) -> Output {
        let arguments = arguments.iter().map(|it| OsString::from_vec(it.to_vec()));
        command.args(arguments).current_dir(self.folder.path()).env("LC_ALL", "C");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        match input {
            None => command.stdin(Stdio::null()),
            Some(input) => {
                let mut file = tempfile::tempfile().expect("a file");
                file.write_all(input).expect("written");
                std::io::Seek::rewind(&mut file).expect("rewound");
                command.stdin(file)
            }
        };
        command.spawn().and_then(std::process::Child::wait_with_output).expect("the program runs")
    }

    fn ours(&self, algorithm: &str, arguments: &[&[u8]], input: Option<&[u8]>) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
        command.args(["sum", "--algorithm", algorithm]);
        self.run(command, arguments, input)
    }

    fn theirs(&self, algorithm: &str, arguments: &[&[u8]], input: Option<&[u8]>) -> Output {
        self.run(Command::new(format!("{algorithm}sum")), arguments, input)
    }

    /// Both say the same.
    fn same(&self, algorithm: &str, arguments: &[&[u8]], input: Option<&[u8]>) {
        let what: Vec<_> = arguments.iter().map(|it| String::from_utf8_lossy(it)).collect();
        let what = format!("{algorithm} {what:?}");
        let (ours, theirs) =
            (self.ours(algorithm, arguments, input), self.theirs(algorithm, arguments, input));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{what}");
        assert_eq!(ours.stdout, theirs.stdout, "{what}");
        let theirs_said = text(&theirs.stderr).replace(&format!("{algorithm}sum: "), "wirespeed: ");
        assert_eq!(text(&ours.stderr), theirs_said, "{what}");
        assert_eq!(ours.status.code(), theirs.status.code(), "{what}");
    }

    /// What coreutils prints for these files.
    fn sums(&self, algorithm: &str, arguments: &[&[u8]]) -> Vec<u8> {
        self.theirs(algorithm, arguments, None).stdout
    }
}

/// The version whose behaviour is the contract; others differ in what they escape.
fn coreutils() -> bool {
    let version = Command::new("sha256sum").arg("--version").output();
    let is_it = version.is_ok_and(|it| it.stdout.starts_with(b"sha256sum (GNU coreutils) 9.1\n"));
    if !is_it {
        println!("skipped: this machine's sha256sum is not that of coreutils 9.1");
    }
    is_it
}

#[test]
fn hashes_are_printed_as_coreutils_does() {
    if !coreutils() {
        return;
    }
    let case = Case::new();
    let mut names: Vec<&[u8]> = NAMES.to_vec();
    names.extend([&b"missing"[..], b"dir", b"loop", b"", b"a/b", b"no such", b"a"]);
    for algorithm in ALGORITHMS {
        for options in [&[&b"--"[..]][..], &[b"--tag", b"--"], &[b"-z", b"--"], &[b"-b", b"--"]] {
            case.same(algorithm, &[options, &names].concat(), None);
        }
        case.same(algorithm, &[b"--tag", b"-z", b"back\\slash"], None);
        case.same(algorithm, &[], Some(b"from standard input"));
        case.same(algorithm, &[b"-", b"a", b"-"], Some(&vec![7; 200_000]));
    }
}

#[test]
fn lists_are_checked_as_coreutils_does() {
    if !coreutils() {
        return;
    }
    let case = Case::new();
    let names: Vec<&[u8]> = [&[&b"--"[..]][..], &NAMES].concat();
    for algorithm in ALGORITHMS {
        case.write(b"sums", &case.sums(algorithm, &names));
        let tagged = [&[&b"--tag"[..]][..], &names].concat();
        case.write(b"tagged", &case.sums(algorithm, &tagged));
        let mut wrong = case.sums(algorithm, &[b"a", b"back\\slash", b"plain", b"new\nline"]);
        wrong[0] ^= 1;
        let digits = wrong.iter().position(|byte| *byte == b' ').expect("a blank");
        let no_such = [&wrong[..digits], b"  missing\n", &wrong[..digits], b"  dir\n"].concat();
        case.write(b"one-wrong", &wrong);
        case.write(b"missing-listed", &[&wrong[..], &no_such].concat());
        case.write(b"only-missing", &[&wrong[..digits], b"  missing\n"].concat());
        let noise = [b"# comment\n\nnoise\r\n\nnoise\n", &wrong[..], b"more noise"].concat();
        case.write(b"noisy", &noise);
        case.write(b"noise", b"nothing\n");
        case.write(b"empty", b"");
        let lists: [&[u8]; 10] = [
            b"sums",
            b"tagged",
            b"one-wrong",
            b"missing-listed",
            b"only-missing",
            b"noisy",
            b"noise",
            b"empty",
            b"dir",
            b"absent",
        ];
        let options: [&[&[u8]]; 8] = [
            &[],
            &[b"--quiet"],
            &[b"--status"],
            &[b"--strict"],
            &[b"--warn"],
            &[b"--ignore-missing"],
            &[b"--warn", b"--status"],
            &[b"--ignore-missing", b"--strict", b"--status", b"--quiet"],
        ];
        for options in options {
            for list in lists {
                case.same(algorithm, &[&[&b"-c"[..]], options, &[list]].concat(), None);
            }
            case.same(algorithm, &[&[&b"-c"[..]], options, &lists].concat(), None);
        }
        case.same(algorithm, &[b"-c"], Some(&noise));
        case.same(algorithm, &[b"-c", b"-", b"sums"], Some(&noise));
    }
}

/// The threads start when there are files enough for all lanes. One file and more lines without a file than may wait for
/// it must not wait for that.
#[test]
fn one_file_among_very_many_lines_that_name_none_is_checked() {
    if !coreutils() {
        return;
    }
    let case = Case::new();
    let noise = b"noise\n".repeat(40_000);
    case.write(b"before", &[&case.sums("sha256", &[b"a"])[..], &noise].concat());
    case.write(b"behind", &[&noise, &case.sums("sha256", &[b"a"])[..]].concat());
    for list in [&b"before"[..], b"behind"] {
        case.same("sha256", &[b"-c", list], None);
    }
}

#[test]
fn lines_are_read_as_coreutils_does() {
    if !coreutils() {
        return;
    }
    let case = Case::new();
    let right = case.sums("sha256", &[b"a"]);
    let digits = String::from_utf8(right[..64].to_vec()).expect("digits");
    let upper = digits.to_uppercase();
    for line in [
        format!("{digits} *a"),
        format!("{digits} a"),
        format!("{digits}\t a"),
        format!("{digits}\ta"),
        format!("{digits}  a\r"),
        format!(" \t {digits}  a"),
        format!("{upper}  a"),
        format!("{digits}  "),
        format!("{digits} "),
        digits.clone(),
        format!("{digits}  -"),
        format!("{digits}0  a"),
        format!("x{}  a", &digits[1..]),
        format!("{digits}  a\0b"),
        format!("\\{digits}  b\\x"),
        format!("\\{digits}  b\\"),
        format!("\\{digits}  new\\nline"),
        format!("\\{digits}  back\\\\slash"),
        format!("\\\\{digits}  a"),
        format!("{digits}  new\rline"),
        format!("SHA256 (a) = {digits}"),
        format!("SHA256(a)= {digits}"),
        format!("SHA256  (a) = {digits}"),
        format!("SHA256 (a)\t=\t{upper}"),
        format!("SHA256 (a) = {digits} "),
        format!("SHA256 (a) {digits}"),
        format!("SHA256 (a = {digits}"),
        format!("SHA256 (paren)thesis) = {digits}"),
        format!("SHA2-256 (a) = {digits}"),
        format!("MD5 (a) = {digits}"),
        format!("SHA256 () = {digits}"),
        "SHA256 (a) = ".to_owned(),
        "SHA256".to_owned(),
        format!("\\SHA256 (new\\nline) = {digits}"),
        format!("\\SHA256 (a\\) = {digits}"),
        format!("{digits} a\n{digits}  a\n{digits} *a"),
        format!("{digits}  a\n{digits} a\n{digits} *a"),
        format!("{digits}   leading\n{digits}  *star"),
    ] {
        for list in [line.clone(), format!("{line}\n")] {
            case.write(b"list", list.as_bytes());
            case.same("sha256", &[b"-c", b"-w", b"list"], Some(b"hi\n"));
            case.same("sha256", &[b"-c"], Some(list.as_bytes()));
        }
    }
}

/// Any number of threads, more files than lanes, and lengths around what is read at once.
#[test]
fn many_files_come_out_in_the_order_of_the_arguments() {
    if !coreutils() {
        return;
    }
    let case = Case::new();
    let names: Vec<String> = (0..150).map(|i| format!("file{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        let bytes = match i % 10 {
            0 => 0,
            1 => (64 << 10) - 1 + i % 3,
            2 => 300_000,
            _ => i * 37,
        };
        let content: Vec<u8> = (0..bytes).map(|at| (at / 7 + i) as u8).collect();
        case.write(name.as_bytes(), &content);
    }
    let mut arguments: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
    arguments.insert(50, b"missing");
    arguments.insert(100, b"dir");
    for algorithm in ALGORITHMS {
        let theirs = case.theirs(algorithm, &arguments, None);
        for count in [1, 7, arguments.len()] {
            case.same(algorithm, &arguments[..count], None);
        }
        for threads in [&b"1"[..], b"2", b"5", b"64"] {
            let options = [&b"--threads"[..], threads];
            let ours = case.ours(algorithm, &[&options, &arguments[..]].concat(), None);
            assert_eq!(ours.stdout, theirs.stdout);
            assert_eq!(ours.status.code(), Some(1));
        }
    }
}

#[test]
fn what_sha256sum_refuses_is_refused() {
    let case = Case::new();
    for (arguments, why) in [
        (&["--tag", "--text", "a"][..], "--tag does not support --text mode"),
        (&["-c", "--tag", "a"], "the --tag option is meaningless when verifying checksums"),
        (&["-c", "-z", "a"], "the --zero option is not supported when verifying checksums"),
        (&["-c", "-b", "a"], "the --binary and --text options are meaningless when verifying"),
        (&["--quiet", "a"], "the --quiet option is meaningful only when verifying checksums"),
        (&["--threads", "0", "a"], "--threads 0: choose from 1 to 1024"),
    ] {
        let arguments: Vec<&[u8]> = arguments.iter().map(|it| it.as_bytes()).collect();
        let output = case.ours("sha256", &arguments, None);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with(&format!("wirespeed: {why}")), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

/// Fewer open files are allowed than there are lanes.
#[test]
fn a_process_with_few_descriptors_hashes_all_the_same() {
    let case = Case::new();
    let names: Vec<String> = (0..100).map(|i| format!("file{i}")).collect();
    names.iter().for_each(|name| case.write(name.as_bytes(), name.as_bytes()));
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 24; exec \"$0\" sum --threads 4 file*"]);
    shell.arg(env!("CARGO_BIN_EXE_wirespeed"));
    let output = case.run(shell, &[], None);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 100);
}

#[test]
fn a_full_device_is_an_error_and_a_closed_pipe_ends_it_in_silence() {
    let case = Case::new();
    File::create(case.folder.path().join("large"))
        .and_then(|it| it.set_len(1 << 20))
        .expect("made");
    // The second are far more than all lanes and what waits for them hold, and take a while each.
    for files in [vec!["a"], vec!["large"; 600]] {
        let run = |output: Stdio| {
            // One that hangs ends with 124.
            let mut command = Command::new("timeout");
            command.args(["300", env!("CARGO_BIN_EXE_wirespeed"), "sum", "--threads", "1"]);
            command.args(&files).current_dir(case.folder.path());
            command.stdout(output).stderr(Stdio::piped()).output().expect("the program runs")
        };
        let full = File::options().write(true).open("/dev/full").expect("/dev/full");
        let output = run(full.into());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stderr.starts_with(b"wirespeed: cannot write: "), "{output:?}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = run(writer.into());
        // As a signal would: what is left was not done.
        assert_eq!(
            (output.status.code(), &output.stderr[..]),
            (Some(128 + 13), &b""[..]),
            "{output:?}"
        );
    }
}
