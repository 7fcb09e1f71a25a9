//! The doctor on this machine: configurations, modules and programs that are wrong in every known way.

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::support::{Case, NOBODY, assert_narrow, installed, module};

/// What users met, and what they are told now: the lines that Wirespeed's section gets, the check that
/// finds it, words of the fault and of the mend.
#[test]
fn every_mistake_in_our_section_is_named_with_its_mend() {
    for (line, check, fault, mend) in [
        ("CIPHER = AES-128-CBC", "keys", "CIPHER is no key", "write ciphers = AES-128-CBC"),
        ("CIPHERS = ALL", "keys", "CIPHERS is no key", "write ciphers = ALL"),
        ("cipher = ALL", "keys", "cipher is no key", "write ciphers = ALL"),
        ("default_algorithms = ALL", "keys", "default_algorithms is no key", "the keys are plan"),
        (
            "ciphers = AES-128-CBC;AES-256-CBC",
            "keys",
            "separated by blanks or commas, not by ;",
            "write ciphers = AES-128-CBC AES-256-CBC",
        ),
        ("ciphers = aes-128-ccm", "module", "unknown algorithm 'aes-128-ccm'", "change the line"),
        ("routes = pad-lock", "module", "unknown route 'pad-lock'", "change the line routes"),
        ("digests = MD4", "module", "ALL or NONE", "change the line digests"),
        ("CIPHER = aes-128-cbc", "keys", "CIPHER is no key", "write kernel = aes-128-cbc"),
        ("DIGESTS = sha1", "keys", "DIGESTS is no key", "write kernel = sha1"),
        ("engine_id = afalg", "keys", "engine_id is no key", "it is a key of engines"),
        ("kernel = yes", "module", "kernel = yes", "change the line kernel = yes"),
        (
            "kernel = aes-128-cbc;aes-256-cbc",
            "keys",
            "separated by blanks or commas, not by ;",
            "write kernel = aes-128-cbc aes-256-cbc",
        ),
        ("kernel = AES-128-GCM", "module", "whole message at once", "change the line kernel"),
        ("verify = often", "module", "choose off, or N", "change the line verify = often"),
        ("plan = plan", "module", "plan = plan", "wirespeed tune"),
        ("plan = /nowhere/plan", "plan", "/nowhere/plan: ", "wirespeed tune"),
    ] {
        let case = Case::new(&installed(line));
        let found = case.faults(check);
        let told = found.iter().any(|(text, told)| text.contains(fault) && told.contains(mend));
        assert!(told, "{line}: {found:?}");
        case.programs_go_on();
    }
}

#[test]
fn a_good_installation_has_nothing_to_mend() {
    let report = Case::new(&installed("ciphers = AES-128-GCM, AES-256-GCM")).examine_all_routes();
    for check in [
        "configuration",
        "installed",
        "keys",
        "module",
        "default",
        "preference",
        "proof",
        "engines",
    ] {
        assert!(report.is_fine(check), "{check}: {:?}", report.faults(check));
    }
    let text = report.text("module");
    assert!(text.contains("loads in OpenSSL") && text.contains("routes: "), "{text}");
}

#[test]
fn not_installed_is_said_and_no_fault() {
    let report = Case::new("openssl_conf = init\n[init]\n").examine();
    assert!(report.text("installed").contains("not installed"), "{}", report.text("installed"));
    for check in ["configuration", "default", "proof", "engines", "permissions"] {
        assert!(report.is_fine(check), "{check}: {:?}", report.faults(check));
    }
    for check in ["installed", "keys", "module", "preference", "plan"] {
        assert_eq!(report.faults(check), [], "{check}");
    }
}

/// The seeds: appended at the end, below another section.
#[test]
fn lines_in_a_section_where_nobody_looks() {
    let case = Case::new(&format!("[ req ]\ndefault_bits = 2048\n\n{}", installed("")));
    let report = case.examine();
    let found = report.faults("configuration");
    assert!(found[0].0.contains(":4: openssl_conf stands in [req]"), "{found:?}");
    assert!(found[0].1.contains("above the first section"), "{found:?}");
    let found = report.faults("installed");
    assert!(found[0].0.contains("is Wirespeed's, but no program gets to it"), "{found:?}");
    case.programs_go_on();
}

/// The seeds: "engine configuration error", sshd and nginx that do not start.
#[test]
fn an_engine_that_is_still_configured() {
    let text = "openssl_conf = openssl_def\n[openssl_def]\nengines = openssl_engines\n\
                [openssl_engines]\naf_alg = af_alg_engine\n[af_alg_engine]\n\
                default_algorithms = ALL\nCIPHER = aes-128-cbc\n";
    let found = Case::new(text).faults("engines");
    assert!(
        found[0].0.contains("engine af_alg") && found[0].0.contains("it was CIPHERS"),
        "{found:?}"
    );
    assert!(found[0].1.contains("take away the line af_alg"), "{found:?}");
    assert!(found[0].1.contains("its key kernel = AES-128-CBC does"), "{found:?}");
}

/// The seeds: "exactly the same numbers as without af_alg": the plugin was there, and nothing used it. Which
/// of the two it is depends on this machine, and the doctor tells them apart.
#[test]
fn a_kernel_that_nothing_uses() {
    let case = Case::new(&installed("kernel = on"));
    let found = case.faults("kernel");
    let told = found.iter().find(|(text, _)| text.contains("kernel = on, but "));
    let (text, mend) = told.unwrap_or_else(|| panic!("{found:?}"));
    match text.contains("no plan gives the kernel anything") {
        true => {
            assert!(mend.starts_with("sudo wirespeed tune --kernel, then sudo wirespeed install"));
        }
        false => {
            assert!(text.contains("AF_ALG"), "{found:?}");
            assert_eq!(mend, "take the line away");
        }
    }
    case.programs_go_on();
    let off = Case::new(&installed("kernel = off")).faults("kernel");
    assert!(off.iter().all(|(text, _)| !text.contains("kernel = ")), "{off:?}");
}

#[test]
fn the_default_provider_locked_out_and_a_hard_preference() {
    let text = installed("").replace("[default_section]\nactivate = 1\n", "");
    let found = Case::new(&text.replace("default = default_section\n", "")).faults("default");
    assert!(found[0].0.contains("#16249") && found[0].1.contains("add default"), "{found:?}");
    let found = Case::new(&installed("").replace("?provider", "provider")).faults("preference");
    assert!(found[0].1.contains("default_properties = ?provider=wirespeed"), "{found:?}");
}

#[test]
fn a_file_that_openssl_cannot_read() {
    let found = Case::new("[ broken\n").faults("configuration");
    assert!(found[0].0.contains("OpenSSL takes nothing of the whole file"), "{found:?}");
    let found = Case::new(".include /nowhere/more.cnf\n").faults("configuration");
    assert!(found[0].0.contains("/nowhere/more.cnf, which is not there"), "{found:?}");
    let case = Case::new("");
    fs::remove_file(case.configuration()).expect("gone");
    let found = case.faults("configuration");
    assert!(found[0].0.contains("is not there"), "{found:?}");
}

#[test]
fn damaged_modules_are_told_apart_and_never_loaded() {
    let whole = fs::read(module()).expect("the module");
    let mut scrambled = whole.clone();
    scrambled[..64].fill(0x5a);
    let mut foreign = whole.clone();
    // `e_machine` of elf(5): 3 is the 80386.
    foreign[18] = 3;
    let mut nameless = whole.clone();
    let name = b"OSSL_provider_init";
    let places: Vec<_> =
        (0..whole.len() - name.len()).filter(|at| whole[*at..].starts_with(name)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| nameless[at] = b'X');
    for (bytes, words) in [
        (&[][..], "it is empty"),
        (&whole[..64], "its headers are broken"),
        // In the middle of what the loader maps: there it would end the process by SIGBUS.
        (&whole[..20_000], "it is cut off"),
        (&scrambled, "it is no ELF file"),
        (&foreign, "is for 32-bit x86"),
        (&nameless, "lacks OSSL_provider_init"),
    ] {
        let case = Case::new("");
        let path = case.write("wirespeed.so", bytes);
        case.write("openssl.cnf", installed("").replace(&crate::support::module_text(), &path));
        let found = case.faults("module");
        assert!(found[0].0.contains(words), "{words}: {found:?}");
        assert!(found[0].1.contains("sudo wirespeed install"), "{found:?}");
    }
    let case =
        Case::new(&installed("").replace(&crate::support::module_text(), "/nowhere/wirespeed.so"));
    assert!(case.faults("module")[0].0.contains("/nowhere/wirespeed.so: No such file"));
}

#[test]
fn plans_that_are_no_good() {
    let case = Case::new("");
    let plan = case.write("plan", "not a plan\n");
    case.write("openssl.cnf", installed(&format!("plan = {plan}")));
    assert!(case.faults("plan")[0].0.contains(": line 1: "));
    let stale = "wirespeed-plan 1\ncpu        Nobody 1/2/3 Nothing\nmicrocode  0x1\n\
                 kernel     2.6.38\nlibcrypto  3.0.0\nwirespeed  0.0.1\n";
    case.write("plan", stale);
    let found = case.faults("plan");
    assert!(found[0].0.contains("ignored: made for CPU Nobody"), "{found:?}");
    assert!(found[0].1.contains("wirespeed tune"), "{found:?}");
    case.programs_go_on();
}

#[test]
fn what_others_may_change() {
    let case = Case::new("");
    let plan = case.write("plan", "");
    fs::set_permissions(&plan, Permissions::from_mode(0o666)).expect("permissions");
    case.write("openssl.cnf", installed(&format!("plan = {plan}")));
    let found = case.faults("permissions");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0.contains("/plan may be changed by every user"), "{found:?}");
    assert_eq!(found[0].1, format!("sudo chmod o-w {plan}"));
    fs::set_permissions(&plan, Permissions::from_mode(0o644)).expect("permissions");
    let folder = Path::new(&plan).parent().expect("a folder");
    fs::set_permissions(folder, Permissions::from_mode(0o777)).expect("permissions");
    assert!(case.faults("permissions")[0].1.contains(&format!("chmod o-w {}", folder.display())));
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "only debug builds can disprove a route")]
fn a_route_that_fails_its_proof() {
    let case = Case::new("");
    let output = case.doctor().env("WIRESPEED_DISPROVE", "portable").output();
    let output = output.expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("proof          MEND  portable gives wrong bytes on this machine"),
        "{text}"
    );
}

#[test]
fn counters_of_another_version() {
    let case = Case::new("");
    let stats = case.write("stats", "something else");
    case.write("openssl.cnf", installed(&format!("stats = {stats}")));
    assert!(case.faults("proof")[0].0.contains("holds no counters of this Wirespeed"));
}

/// What the doctor says to a configuration that every user can get to but for one thing, on this machine as it is.
fn told_of(case: &Case, check: &str) -> Vec<(String, String)> {
    if !crate::support::is_root() {
        println!("skipped: only root can become another user");
        return Vec::new();
    }
    let found = case.faults(check);
    assert!(!found.is_empty(), "{check}: nothing to mend");
    found
}

/// Whether a finding is about nobody and about root; services of this machine may be in it, too.
fn names(text: &str) -> [bool; 2] {
    let (names, _) = text.split_once(": ").expect("names");
    ["nobody", "root"].map(|name| names.split(", ").any(|it| it == name))
}

/// What nobody gets: "wirespeed" is among the providers, and nothing is complained of.
fn serves(case: &Case, user: Option<u32>) -> bool {
    let mut list = crate::support::as_user(case.program("openssl"), user);
    let output = list.args(["list", "-providers"]).output().expect("openssl runs");
    String::from_utf8_lossy(&output.stdout).contains("Wirespeed")
}

/// Seen: programs got the default provider, and the doctor said that there was nothing to mend.
#[test]
fn counters_in_a_folder_that_is_gone() {
    let case = Case::shared("stats = /nowhere/stats");
    let found = case.faults("users");
    assert_eq!(found.len(), 1, "{found:?}");
    let (text, mend) = &found[0];
    assert!(
        text.contains("without counters: stats = /nowhere/stats: the file cannot be opened"),
        "{text}"
    );
    assert!(text.contains("nothing is counted"), "{text}");
    assert!(mend.contains("let this user write it, or give a folder"), "{mend}");
    assert!(serves(&case, None), "an extra keeps nothing out");
}

/// Seen: root's trial made the file, and everybody else went without.
#[test]
fn counters_that_only_root_may_write() {
    let case = Case::shared("");
    let place = case.write("stats", "");
    fs::set_permissions(&place, Permissions::from_mode(0o600)).expect("permissions");
    case.rewrite(&format!("stats = {place}"));
    for (text, mend) in told_of(&case, "users") {
        assert!(names(&text) == [true, false], "{text}");
        assert!(text.contains(&format!("without counters: stats = {place}: ")), "{text}");
        assert!(
            text.contains("Permission denied") && mend.contains("let this user write"),
            "{text}"
        );
        assert!(serves(&case, Some(NOBODY)));
    }
    let examined = case.examine().text("users");
    assert!(!crate::support::is_root() || examined.contains("as it is: root"), "{examined}");
}

/// A running service is asked for by the user it runs as.
#[test]
fn the_user_of_a_running_service_is_asked_for() {
    const USER: u32 = 4711;
    let case = Case::shared("");
    let place = case.write("stats", "");
    fs::set_permissions(&place, Permissions::from_mode(0o600)).expect("permissions");
    case.rewrite(&format!("stats = {place}"));
    if !crate::support::is_root() {
        println!("skipped: only root can become another user");
        return;
    }
    let mut service = crate::support::as_user(case.program("openssl"), Some(USER));
    service.args(["enc", "-aes-128-ctr", "-K", "00", "-iv", "00"]).stdin(Stdio::piped());
    let mut service =
        service.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut input = service.stdin.take().expect("piped");
    // What comes out shows that libcrypto is there.
    input.write_all(&[7; 32 << 10]).expect("taken");
    service.stdout.as_mut().expect("piped").read_exact(&mut [7; 16 << 10]).expect("given back");
    let found = case.faults("users");
    drop(input);
    service.kill().expect("killed");
    service.wait().expect("it ends");
    let named = format!("user {USER} (openssl)");
    let told = found.iter().find(|(text, _)| text.contains(&named));
    assert!(told.is_some_and(|(text, _)| text.contains("without counters: ")), "{found:?}");
}

#[test]
fn asking_leaves_no_counters_behind() {
    let case = Case::shared("");
    let place = case.path("stats");
    case.rewrite(&format!("stats = {}", place.display()));
    case.examine();
    assert!(!place.exists(), "nobody else could count in a file of root's");
    fs::create_dir(&place).expect("a folder");
    fs::set_permissions(&place, Permissions::from_mode(0o1777)).expect("permissions");
    assert_eq!(case.faults("users"), []);
    assert_eq!(fs::read_dir(&place).expect("a folder").count(), 0);
}

#[test]
fn files_that_only_root_may_read() {
    for (name, says) in [
        ("openssl.cnf", "without Wirespeed: "),
        ("wirespeed.so", "without Wirespeed: "),
        ("plan", "without the plan: plan = "),
    ] {
        let case = Case::shared("");
        let plan = case.write("plan", "");
        case.rewrite(&format!("plan = {plan}"));
        let path = case.path(name);
        // A plan that is no plan is told of for root, too.
        fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("permissions");
        let path = path.display().to_string();
        let found = told_of(&case, "users");
        let of_nobody = |it: &&(String, String)| it.0.contains("Permission denied");
        let told = found.iter().find(of_nobody);
        let Some((text, mend)) = told else {
            assert!(found.is_empty(), "{found:?}");
            continue;
        };
        assert!(names(text) == [true, false], "{text}");
        assert!(text.contains(says) && text.contains(&path), "{text}");
        assert!(mend.contains("let every user read it"), "{mend}");
        assert_eq!(serves(&case, Some(NOBODY)), name == "plan", "{name}");
        assert!(serves(&case, None), "root is served");
    }
}

/// Seen: on OpenSSL 3.0 the module served, and the doctor said that it was not active.
#[test]
fn the_line_activate_is_what_this_openssl_makes_of_it() {
    let case = Case::shared("");
    let text = fs::read_to_string(case.configuration()).expect("a configuration");
    let (before, after) = text.split_once("[wirespeed_section]").expect("our section");
    let after = after.replacen("activate = 1", "activate = 0", 1);
    case.write("openssl.cnf", format!("{before}[wirespeed_section]{after}"));
    let report = case.examine();
    match serves(&case, None) {
        true => {
            assert_eq!(report.faults("installed"), []);
            let text = report.text("installed");
            assert!(
                text.contains("is active") && text.contains("activate = 0 means yes"),
                "{text}"
            );
        }
        false => {
            let found = report.faults("installed");
            assert!(
                found[0].0.contains("listed at") && found[0].0.contains("not active"),
                "{found:?}"
            );
        }
    }
}

#[test]
fn all_users_of_a_good_installation_are_named() {
    let text = Case::shared("").examine().text("users");
    assert!(text.contains("served by the configuration as it is: "), "{text}");
    match crate::support::is_root() {
        true => assert!(text.contains("root") && text.contains("nobody"), "{text}"),
        false => assert!(text.contains("only root can check what other users get"), "{text}"),
    }
}

/// Whatever its state is, each line has a figure.
#[test]
fn the_machine_is_told_by_figures() {
    let report = Case::new("").examine();
    let text = report.text("machine");
    for figure in ["a system call takes ", "a cipher looked up by its name costs "] {
        let rest = text.split_once(figure).map(|(_, rest)| rest).unwrap_or_default();
        let number = rest.split(' ').next().and_then(|it| it.parse::<f64>().ok());
        assert!(number.is_some_and(|it| it > 0.0), "{figure}: {text}");
    }
    assert_eq!(report.faults("machine"), [], "a slow machine is no fault of its configuration");
}

#[test]
fn the_report_is_narrow_and_its_status_is_the_finding() {
    let case = Case::new(&installed("CIPHER = x"));
    let output = case.doctor().output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("\nkeys           MEND  "), "{text}");
    assert!(text.contains("\n                     -> write ciphers = x"), "{text}");
    assert!(!text.contains("Nothing to mend"), "{text}");
    assert_narrow(&text);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.starts_with("wirespeed: ") && said.trim_end().ends_with("to mend"), "{said}");
}
