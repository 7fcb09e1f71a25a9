//! Every key of the module with a wrong value: one error that names key, value and what it may be, and
//! the programs go on. An extra that cannot be had is no wrong value: the module serves without it.

use std::fs;

use crate::support::{Case, installed};
use wirespeed_libcrypto::{Context, Library};

/// A line of the section, and what its error must name besides the line itself.
const WRONG: [(&str, &[&str]); 31] = [
    ("plan = plan", &["absolute path"]),
    ("routes = nonsense", &["vaes512", "libcrypto", "auto"]),
    ("routes = pad-lock", &["vaes512", "padlock", "auto"]),
    ("routes = auto vaes512", &["or auto"]),
    ("routes = vaes512;aesni", &["commas or blanks"]),
    ("routes = ,", &["at least one"]),
    ("ciphers = NOPE", &["one that wirespeed routes lists, or ALL"]),
    ("ciphers = AES-128-GCN", &["choose AES-128-GCM", "or ALL"]),
    ("ciphers = AES-128-CBC;AES-256-CBC", &["commas or blanks"]),
    ("ciphers = AES-128-CBC:AES-256-CBC", &["commas or blanks"]),
    ("ciphers = ALL AES-128-CBC", &["or ALL"]),
    ("digests = MD4", &["SHA2-256", "ALL or NONE"]),
    ("kernel = yes", &["unknown algorithm 'yes'", "AES-128-CBC", "or on, or off"]),
    ("kernel = AES-128-CBD", &["unknown algorithm 'AES-128-CBD'", "AES-128-CBC"]),
    ("kernel = AES-128-CBC;AES-256-CBC", &["commas or blanks", "or off"]),
    ("kernel = AES-128-CBC:AES-256-CBC", &["commas or blanks"]),
    ("kernel = AES-128-CBC AES-128-CBC", &["AES-128-CBC is there twice"]),
    ("kernel = AES-128-CBC@", &["names no driver"]),
    ("kernel = on AES-128-CBC", &["either on, or algorithms"]),
    ("kernel = on off", &["off stands alone"]),
    ("kernel = seccomp", &["say what, too"]),
    ("kernel = AES-128-GCM", &["whole message at once"]),
    ("kernel = HMAC-SHA1", &["goes where its hash function goes"]),
    ("KERNEL = on", &["it is spelt kernel"]),
    ("kernels = on", &["it is spelt kernel"]),
    ("verify = often", &["off, or N"]),
    ("verify = 0", &["off, or N"]),
    ("verify = -1", &["off, or N"]),
    ("verify = 99999999999", &["off, or N"]),
    ("stats = stats", &["absolute path"]),
    ("CIPHER = AES-128-CBC", &["ciphers"]),
];

#[test]
fn a_wrong_value_is_one_error_that_names_key_value_and_choice() {
    let library = Library::host().expect("these tests need libcrypto");
    for (line, words) in WRONG {
        // A module that the configuration activates is dropped in silence: load it by name.
        let case = Case::new(&by_name(line));
        let context = Context::new(library).expect("a context");
        context.load_config(&case.configuration()).expect("a configuration");
        let error = context.load("wirespeed").err().unwrap_or_else(|| panic!("{line}: taken"));
        let ours: Vec<_> = error.queue.iter().filter(|entry| entry.data.contains(" = ")).collect();
        assert_eq!(ours.len(), 1, "{line}: {error}");
        let said = &ours[0].data;
        assert!(said.starts_with(line) && said.len() > line.len(), "{line}: {said}");
        for word in words {
            assert!(said.contains(word), "{line}: no '{word}' in {said}");
        }
        assert!(!said.contains('\n'), "{said}");
    }
}

/// Extras that cannot be had: the line, and what the one entry in the error queue must say besides it.
const MISSING: [(&str, &[&str]); 6] = [
    ("plan = /nowhere/plan", &["cannot be read", "the default priority serves", "wirespeed tune"]),
    ("plan = /", &["not a regular file", "the default priority serves"]),
    ("plan = /etc/passwd", &["line 1", "the default priority serves"]),
    ("stats = /nowhere/stats", &["cannot be opened for writing", "nothing is counted", "let this"]),
    ("stats = /etc/passwd", &["no stats file of this version", "nothing is counted"]),
    ("stats = /dev/null", &["is not a regular file", "nothing is counted"]),
];

#[test]
fn an_extra_that_cannot_be_had_keeps_nothing_out_and_is_one_entry() {
    let library = Library::host().expect("these tests need libcrypto");
    let before = fs::read("/etc/passwd").expect("a file");
    for (line, words) in MISSING {
        let case = Case::new(&by_name(line));
        let context = Context::new(library).expect("a context");
        context.load_config(&case.configuration()).expect("a configuration");
        context.load("wirespeed").unwrap_or_else(|error| panic!("{line}: {error}"));
        let left = context.left();
        assert_eq!(left.len(), 1, "{line}: {left:?}");
        let said = &left[0].data;
        assert!(said.starts_with(line), "{line}: {said}");
        for word in words {
            assert!(said.contains(word), "{line}: no '{word}' in {said}");
        }
        // It can be asked for later, too: reading a configuration clears the queue.
        let told = context.provider_text("wirespeed", c"wirespeed-missing").expect("an answer");
        assert_eq!(told.as_ref(), Some(said));
        let case = Case::new(&installed(line));
        case.programs_go_on();
        let mut list = case.program("openssl");
        let output = list.args(["list", "-providers"]).output().expect("openssl runs");
        assert!(String::from_utf8_lossy(&output.stdout).contains("Wirespeed"), "{line}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    }
    assert_eq!(fs::read("/etc/passwd").expect("a file"), before);
}

#[test]
fn with_all_there_is_no_entry() {
    let library = Library::host().expect("these tests need libcrypto");
    let case = Case::new("");
    let stats = case.path("stats").display().to_string();
    case.write("openssl.cnf", by_name(&format!("stats = {stats}")));
    let context = Context::new(library).expect("a context");
    context.load_config(&case.configuration()).expect("a configuration");
    context.load("wirespeed").expect("loaded");
    assert_eq!(context.left(), []);
    let told = context.provider_text("wirespeed", c"wirespeed-missing").expect("an answer");
    assert_eq!(told.as_deref(), Some(""));
}

#[test]
fn programs_go_on_with_every_wrong_value() {
    // With diagnostics OpenSSL reports more mistakes as failures, and Debian's file has them on.
    for head in ["", "config_diagnostics = 1\n"] {
        for (line, _) in WRONG {
            let case = Case::new(&format!("{head}{}", installed(line)));
            case.programs_go_on();
            for (program, arguments) in OTHERS {
                let output = case.program(program).args(arguments).output().expect(program);
                assert!(output.status.success(), "{head}{line}: {program}: {output:?}");
            }
        }
    }
}

/// What the article's users wrote, or their plugin could not do: a list in every form that config(5) can
/// hold, and algorithms that a kernel may not have. None of it opens a socket before it is called, so it
/// loads anywhere, and where there is no AF_ALG everything goes its other way.
const RIGHT: [&str; 9] = [
    "kernel = off",
    "kernel = on",
    "kernel = on, seccomp",
    "kernel = aes-128-cbc",
    "kernel = aes-128-cbc aes-192-cbc aes-256-cbc des-ede3-cbc sha1",
    "kernel = AES-128-CBC,AES-256-CBC, SHA1",
    "kernel = aes-128-ecb",
    "kernel = SM4-CBC CAMELLIA-128-CBC SHA3-256",
    "kernel = AES-128-CBC@no_such_driver, SHA1@nor_this, seccomp",
];

#[test]
fn every_way_to_write_the_kernels_key_is_understood_and_programs_go_on() {
    let library = Library::host().expect("these tests need libcrypto");
    for line in RIGHT {
        let case = Case::new(&by_name(line));
        let context = Context::new(library).expect("a context");
        context.load_config(&case.configuration()).expect("a configuration");
        context.load("wirespeed").unwrap_or_else(|error| panic!("{line}: {error}"));
        Case::new(&installed(line)).programs_go_on();
    }
}

/// Programs that read the configuration when they start.
const OTHERS: [(&str, &[&str]); 2] = [
    ("/usr/bin/curl", &["--version"]),
    (
        "/usr/bin/python3",
        &["-c", "import ssl, hashlib; ssl.create_default_context(); hashlib.sha256(b'x')"],
    ),
];

/// The configuration without the line that loads our module at once.
fn by_name(line: &str) -> String {
    let text = installed(line);
    let (before, after) = text.split_once("[wirespeed_section]").expect("our section");
    format!("{before}[wirespeed_section]{}", after.replacen("activate = 1\n", "", 1))
}
