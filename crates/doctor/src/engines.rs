//! Engines that are still configured: the way to crypto hardware before providers.

use wirespeed_cipher::Subject;
use wirespeed_openssl_conf::{ENGINES, Entry, Section};

use crate::examined::Examined;
use crate::finding::Finding;

/// Engines that this program replaces, or shows to be no use.
const ACCELERATORS: [&str; 6] = ["af_alg", "afalg", "padlock", "devcrypto", "cryptodev", "dynamic"];

/// Those of them that lead to the kernel.
const KERNEL: [&str; 4] = ["af_alg", "afalg", "devcrypto", "cryptodev"];

/// What they were to give to it, rightly and wrongly spelt.
const LISTS: [&str; 4] = ["CIPHERS", "CIPHER", "DIGESTS", "DIGEST"];

/// Every engine of the configuration, also where no program gets to it.
pub(crate) fn engines(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(configuration) = examined.readable() else { return Vec::new() };
    let major = examined.openssl.as_ref().map_or(3, |openssl| openssl.major);
    let strict = examined.diagnostics();
    let mut findings = Vec::new();
    for section in configuration.sections() {
        let Some(list) = section.entry(ENGINES) else { continue };
        let Some(engines) = configuration.section(&list.value) else { continue };
        for entry in &engines.entries {
            let engine = configuration.section(&entry.value);
            let found = finding(list, entry, engine, major, strict);
            findings.push(found);
            findings.extend(device(examined, entry));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::fine("none is configured"));
    }
    findings
}

fn finding(
    list: &Entry,
    entry: &Entry,
    engine: Option<&Section>,
    major: u32,
    strict: bool,
) -> Finding {
    let named = engine.and_then(|section| section.entry("engine_id")).unwrap_or(entry);
    let name = match named.name == entry.name {
        true => entry.name.to_string(),
        false => named.value.to_string(),
    };
    let accelerator = ACCELERATORS.contains(&name.to_lowercase().as_str());
    let fate = match (major, name.as_str()) {
        (4.., _) if strict => {
            "OpenSSL 4.0 has no engines, and with config_diagnostics programs end here"
        }
        (4.., _) => "OpenSSL 4.0 has no engines and takes nothing that stands after this",
        (_, "padlock") => {
            "OpenSSL 4.0 has no engines, and on Zhaoxin CPUs this one gives wrong AES-256 (openssl \
             #31246)"
        }
        _ if accelerator && strict => {
            "OpenSSL 4.0 has no engines; with config_diagnostics programs do not even start where the \
             kernel or the engine lacks something (\"engine configuration error\")"
        }
        _ if accelerator => {
            "OpenSSL 4.0 has no engines; where the kernel or the engine lacks something, programs \
             crash or do not start (\"engine configuration error\")"
        }
        _ => "OpenSSL 4.0 has no engines",
    };
    let typo = engine.and_then(singular);
    let typo = typo.map(|word| format!("; {word}")).unwrap_or_default();
    let text = format!("{}: engine {name} is configured: {fate}{typo}", entry.place);
    if !accelerator && major < 4 {
        return Finding::note(text);
    }
    let section = match engine {
        Some(section) => format!(" and [{}]", section.name),
        None => String::new(),
    };
    let instead = match accelerator {
        true => format!(
            "; what the CPU can do, Wirespeed does: sudo wirespeed install{}",
            successor(&name, engine)
        ),
        false => "; ask its maker for a provider".to_owned(),
    };
    Finding::mend(
        text,
        format!(
            "take away the line {} = {}{section}; with the last engine also {} = {}{instead}",
            entry.name, entry.value, list.name, list.value
        ),
    )
}

/// What a VPN dies of once OpenWrt's libopenssl-devcrypto is installed (openwrt#12133, #15369): the handshake's hashes go to
/// the device, or there is none.
fn device(examined: &Examined<'_>, engine: &Entry) -> Option<Finding> {
    let is_it = ["devcrypto", "cryptodev"].iter().any(|name| engine.name == **name);
    let state = match examined.here.exists("/dev/crypto") {
        true => "/dev/crypto is there; with DIGESTS in its section handshakes fail all the same",
        false => "/dev/crypto is not there",
    };
    is_it.then(|| {
        Finding::mend(
            format!(
                "{}: {state}: VPNs and TLS may fail in the handshake (\"TLS key negotiation failed\", \
                 openwrt#15369)",
                engine.place
            ),
            "on OpenWrt: opkg remove libopenssl-devcrypto (from 25.12 on: apk del); elsewhere take that line \
             away; then start the VPN again",
        )
    })
}

/// The key that says what an engine said which led to the kernel.
fn successor(name: &str, engine: Option<&Section>) -> String {
    if !KERNEL.contains(&name.to_lowercase().as_str()) {
        return String::new();
    }
    let entries = engine.map_or(&[][..], |section| &section.entries);
    let lists = entries.iter().filter(|entry| LISTS.iter().any(|list| entry.name == *list));
    let texts: Vec<String> = lists.map(|entry| entry.value.to_str().into_owned()).collect();
    let words = texts.iter().flat_map(|text| text.split([' ', ',', ':', ';']));
    let mut names: Vec<&str> = words.filter_map(algorithm).collect();
    names.dedup();
    let value = if names.is_empty() { "on".to_owned() } else { names.join(" ") };
    format!(
        "; what only the kernel can do, its key kernel = {value} does, after wirespeed tune --kernel \
         (docs/kernel.md)"
    )
}

/// OpenSSL 3's name for what an engine was told: it knows SHA256 as SHA2-256.
fn algorithm(word: &str) -> Option<&'static str> {
    let second =
        || word.to_ascii_uppercase().strip_prefix("SHA").map(|bits| format!("SHA2-{bits}"));
    let known = |word: &str| word.parse::<Subject>().ok().map(Subject::name);
    known(word).or_else(|| known(&second()?))
}

/// `CIPHER` where the engine wanted `CIPHERS`: it failed, and 0.9.8 and 1.0 crashed on that.
fn singular(engine: &Section) -> Option<String> {
    let wrong =
        engine.entries.iter().find(|entry| entry.name == *"CIPHER" || entry.name == *"DIGEST")?;
    Some(format!("{}: {} is no command of it, it was {}S", wrong.place, wrong.name, wrong.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn says(section: &str, major: u32) -> String {
        let mut fake = Fake::configured(&format!(
            "openssl_conf = openssl_def\n[openssl_def]\nengines = openssl_engines\n\
             [openssl_engines]\n{section}"
        ));
        fake.openssl.as_mut().expect("an OpenSSL").major = major;
        fake.says(engines)
    }

    /// The seeds: sshd and nginx that do not start, "engine configuration error … name=CIPHER".
    #[test]
    fn the_af_alg_engine_is_taken_away() {
        let section = "af_alg = af_alg_engine\n[af_alg_engine]\ndefault_algorithms = ALL\n\
                       CIPHER = aes-128-cbc\n";
        let said = says(section, 3);
        assert!(said.starts_with("MEND: /etc/ssl/openssl.cnf:5: engine af_alg is configured"));
        assert!(said.contains("engine configuration error"), "{said}");
        assert!(
            said.contains("openssl.cnf:8: CIPHER is no command of it, it was CIPHERS"),
            "{said}"
        );
        assert!(said.contains("-> take away the line af_alg = af_alg_engine and [af_alg_engine]"));
        assert!(said.contains("also engines = openssl_engines"), "{said}");
    }

    /// What the article's plugin could be told, and the successor of each.
    #[test]
    fn the_successor_of_an_engines_key_is_named() {
        for (lines, key) in [
            ("CIPHERS = aes-128-cbc", "kernel = AES-128-CBC does"),
            (
                "CIPHERS = aes-128-cbc aes-256-cbc des-ede3-cbc\nDIGESTS = sha1 sha256",
                "kernel = AES-128-CBC AES-256-CBC DES-EDE3-CBC SHA1 SHA2-256 does",
            ),
            ("CIPHERS = ALL", "kernel = on does"),
            ("default_algorithms = ALL", "kernel = on does"),
            ("CIPHERS = rot-13", "kernel = on does"),
        ] {
            let said = says(&format!("af_alg = a\n[a]\n{lines}\n"), 3);
            assert!(said.contains(key) && said.contains("docs/kernel.md"), "{lines}: {said}");
        }
        let said = says("padlock = p\n[p]\ndefault_algorithms = ALL\n", 3);
        assert!(!said.contains("kernel ="), "PadLock is reached without: {said}");
    }

    /// Debian's openssl.cnf says config_diagnostics = 1: `openssl` itself ends at once.
    #[test]
    fn with_diagnostics_programs_do_not_start() {
        let text =
            "config_diagnostics = 1\nopenssl_conf = i\n[i]\nengines = e\n[e]\nafalg = a\n[a]\n";
        let said = Fake::configured(text).says(engines);
        assert!(said.contains("with config_diagnostics programs do not even start"), "{said}");
    }

    /// openwrt#15369: "OpenVPN stops work after installing libopenssl-devcrypto".
    #[test]
    fn a_vpn_that_died_of_devcrypto_gets_an_answer() {
        let text = "openssl_conf = i\n[i]\nengines = e\n[e]\n.include /etc/ssl/engines.cnf.d\n";
        let router = || {
            Fake::configured(text)
                .file("/etc/ssl/engines.cnf.d/engines.cnf", "devcrypto = devcrypto\n")
                .file(
                    "/etc/ssl/engines.cnf.d/x-devcrypto.cnf",
                    "[devcrypto]\ndefault_algorithms = ALL\n",
                )
        };
        let said = router().says(engines);
        assert!(
            said.contains("MEND: /etc/ssl/engines.cnf.d/engines.cnf:1: /dev/crypto is not there"),
            "{said}"
        );
        assert!(
            said.contains("TLS key negotiation failed")
                && said.contains("opkg remove libopenssl-devcrypto")
        );
        let said = router().file("/dev/crypto", "").says(engines);
        assert!(said.contains("/dev/crypto is there; with DIGESTS"), "{said}");
        assert!(!says("af_alg = a\n[a]\n", 3).contains("opkg"));
    }

    #[test]
    fn an_engine_loaded_by_its_path_goes_by_its_id() {
        let section =
            "dyn = e\n[e]\nengine_id = padlock\nSO_PATH = /usr/lib/engines-3/padlock.so\n";
        let said = says(section, 3);
        assert!(said.contains("engine padlock") && said.contains("#31246"), "{said}");
    }

    #[test]
    fn other_engines_are_a_fault_only_where_there_are_none() {
        let section = "pkcs11 = p\n[p]\ninit = 0\n";
        assert!(says(section, 3).starts_with("note: "));
        let said = says(section, 4);
        assert!(said.starts_with("MEND: ") && said.contains("takes nothing that stands after"));
        assert_eq!(Fake::installed("").says(engines), "fine: none is configured");
    }

    #[test]
    fn engines_in_a_section_that_nobody_reads_are_found_too() {
        let said = Fake::configured("[req]\nengines = e\n[e]\nafalg = a\n").says(engines);
        assert!(said.contains("engine afalg is configured"), "{said}");
    }
}
