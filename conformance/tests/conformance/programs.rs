//! The third API path: the `openssl` program with the module as users build it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use wirespeed_cipher::Algorithm;
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::vectors;
use wirespeed_libcrypto::Context;

use crate::program::{OURS_ACTIVE, configuration, openssl, output, serving, with_module};
use crate::{skipped, trial};
use wirespeed_conformance::scratch::Scratch;

/// A test that gets the directory of the module.
type Run = fn(&Path) -> Result<(), String>;

pub(crate) fn trials(modules: &Path) -> Vec<Trial> {
    let runs: [(&str, Run); 8] = [
        ("exports", exports),
        ("encryption", encryption),
        ("vectors", nist),
        ("speed", speed),
        ("random", random),
        ("damaged-module", damaged),
        ("wrong-configuration", wrong_configuration),
        ("forced-route", forced_route),
    ];
    let build = |(name, run): (&str, Run)| {
        let modules = modules.to_owned();
        trial(format!("program::{name}"), move || run(&modules))
    };
    let mut trials: Vec<_> = runs.into_iter().map(build).collect();
    let library = here::library();
    trials.push(if library.version_numbers() < (3, 5, 0) {
        let why = format!("{} has no key objects: 3.5 and later do", library.version());
        skipped("program::key-objects", why)
    } else {
        build(("key-objects", key_objects))
    });
    trials
}

fn module(modules: &Path) -> PathBuf {
    modules.join("libwirespeed.so")
}

/// One symbol goes out, and libcrypto is not asked for.
fn exports(modules: &Path) -> Result<(), String> {
    let tool = |name: &str, arguments: &[&str]| {
        let mut command = Command::new(name);
        command.args(arguments).arg(module(modules));
        output(command).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let defined = tool("nm", &["--dynamic", "--defined-only", "--format=posix"])?;
    let names: Vec<_> = defined.lines().filter_map(|line| line.split(' ').next()).collect();
    if names != ["OSSL_provider_init"] {
        return Err(format!("exports {names:?}"));
    }
    let dynamic = tool("readelf", &["--dynamic"])?;
    let needed: Vec<_> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    if needed.is_empty() || needed.iter().any(|line| line.contains("libcrypto")) {
        return Err(format!("needs {needed:?}"));
    }
    Ok(())
}

/// The modes that `openssl enc` knows, and that take a file in pieces.
fn streams() -> impl Iterator<Item = Algorithm> {
    let known = |it: &Algorithm| !it.mode().takes_whole_messages() && !it.mode().has_tag();
    Algorithm::AES.iter().copied().filter(known)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `openssl enc` over a file.
fn enc(
    algorithm: Algorithm,
    secrets: (&[u8], &[u8]),
    input: &Path,
    more: &[String],
) -> Result<Vec<u8>, String> {
    let mut command = enc_command(algorithm, secrets, input);
    command.args(more);
    output(command)
}

fn enc_command(algorithm: Algorithm, (key, iv): (&[u8], &[u8]), input: &Path) -> Command {
    let mut command = openssl(["enc", &format!("-{}", algorithm.name().to_lowercase())]);
    command.args(["-K", &hex(key), "-in"]).arg(input);
    if !iv.is_empty() {
        command.args(["-iv", &hex(iv)]);
    }
    command
}

/// The same with us. `provider=wirespeed` without a question mark takes no other provider, so it is ours that answers.
struct Ours {
    options: Vec<String>,
    configuration: PathBuf,
}

impl Ours {
    fn new(modules: &Path, scratch: &Scratch) -> Result<Self, String> {
        let configuration = match serving() {
            "" => "/dev/null".into(),
            lines => {
                let text = configuration(&module(modules), lines).replace(OURS_ACTIVE, "");
                scratch.write("ours.cnf", text.replace("\nwirespeed =", "\nlibwirespeed ="))?
            }
        };
        Ok(Self { options: with_module(modules, "provider=wirespeed"), configuration })
    }

    fn enc(
        &self,
        algorithm: Algorithm,
        secrets: (&[u8], &[u8]),
        input: &Path,
        more: &[&str],
    ) -> Result<Vec<u8>, String> {
        let mut command = enc_command(algorithm, secrets, input);
        command.args(&self.options).args(more).env("OPENSSL_CONF", &self.configuration);
        output(command)
    }
}

/// There with us and back without, and the other way round.
fn encryption(modules: &Path) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let ours = Ours::new(modules, &scratch)?;
    for algorithm in streams() {
        for length in [0, 1, 15, 16, 17, 1000, 100_000] {
            let what = || format!("{algorithm}, {length} bytes");
            let plain = painted(length as u64, length);
            let file = scratch.write("plain", &plain)?;
            let (key, iv) = (painted(71, algorithm.key_bytes()), painted(72, algorithm.iv_bytes()));
            let secrets = (key.as_slice(), iv.as_slice());
            let right = enc(algorithm, secrets, &file, &[])?;
            same(what, &right, &ours.enc(algorithm, secrets, &file, &[])?)?;
            let file = scratch.write("encrypted", &right)?;
            let back = ours.enc(algorithm, secrets, &file, &["-d"])?;
            same(|| format!("{} back", what()), &plain, &back)?;
        }
    }
    Ok(())
}

/// The same with a key object (EVP_SKEY(3)) instead of the key's bytes: libcrypto wants it from the cipher's provider.
fn key_objects(modules: &Path) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let plain = scratch.write("plain", painted(1, 1000))?;
    let ours = Ours::new(modules, &scratch)?;
    let object = |algorithm: Algorithm, manager: &str, key: &[u8], iv: &[u8]| {
        let mut command = openssl(["enc", &format!("-{}", algorithm.name().to_lowercase())]);
        command.args(["-skeymgmt", manager, "-skeyopt", &format!("hexraw-bytes:{}", hex(key))]);
        command.args(["-iv", &hex(iv), "-in"]).arg(&plain).args(&ours.options);
        command.env("OPENSSL_CONF", &ours.configuration);
        output(command)
    };
    for algorithm in streams().filter(|it| it.iv_bytes() != 0) {
        let (key, iv) = (painted(71, algorithm.key_bytes()), painted(72, algorithm.iv_bytes()));
        let right = enc(algorithm, (&key, &iv), &plain, &[])?;
        for manager in ["AES", "GENERIC-SECRET"] {
            let got = object(algorithm, manager, &key, &iv)?;
            same(|| format!("{algorithm}, {manager}"), &right, &got)?;
        }
    }
    let algorithm = streams().find(|it| it.iv_bytes() != 0).ok_or("no mode with an IV")?;
    let (long, iv) = (painted(71, 17), painted(72, 16));
    for manager in ["AES", "GENERIC-SECRET"] {
        if object(algorithm, manager, &long, &iv).is_ok() {
            return Err(format!("{manager}: a key of 17 bytes was taken"));
        }
    }
    Ok(())
}

/// NIST's vectors of several blocks, as somebody would check them by hand.
fn nist(modules: &Path) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let ours = Ours::new(modules, &scratch)?;
    let chosen = |vector: &vectors::Vector| {
        let known = streams().any(|algorithm| algorithm == vector.algorithm);
        known && (vector.name.starts_with("sp800") || vector.name.contains("MMT"))
    };
    let vectors: Vec<_> = vectors::all().into_iter().filter(chosen).collect();
    if vectors.len() < 100 {
        return Err(format!("only {} vectors", vectors.len()));
    }
    for vector in vectors.iter().step_by(if here::reduced() { 37 } else { 1 }) {
        let file = scratch.write("plain", &vector.plaintext)?;
        let got = ours.enc(vector.algorithm, (&vector.key, &vector.iv), &file, &["-nopad"])?;
        same(|| vector.name.clone(), &vector.ciphertext, &got)?;
    }
    Ok(())
}

/// `openssl speed` runs every algorithm that it has; how fast is for the benchmarks to say.
fn speed(modules: &Path) -> Result<(), String> {
    let host = Provider::default(here::library()).map_err(|error| error.to_string())?;
    let known = |it: &&Algorithm| it.key_bits() == 128 && host.has(**it);
    for algorithm in Algorithm::AES.iter().filter(known) {
        let mut command = openssl(["speed", "-elapsed", "-seconds", "1", "-bytes", "1424"]);
        command.args(with_module(modules, "?provider=wirespeed"));
        command.args(["-evp", &algorithm.name().to_lowercase()]);
        let said = output(command)?;
        let said = String::from_utf8_lossy(&said).to_lowercase();
        let row = said.lines().find(|line| line.starts_with(&algorithm.name().to_lowercase()));
        let figure =
            row.and_then(|row| row.split_whitespace().last()).map(|it| it.replace('k', ""));
        let figure = figure.and_then(|figure| figure.parse::<f64>().ok());
        if !figure.is_some_and(|figure| figure > 0.0) {
            return Err(format!("{algorithm}: {said}"));
        }
    }
    Ok(())
}

/// Random generators of 3.0 to 3.4 run on our ciphers when a program prefers us: many processes, no
/// number twice.
fn random(modules: &Path) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let file = scratch.write("openssl.cnf", configuration(&module(modules), serving()))?;
    let mut seen = BTreeSet::new();
    for _ in 0..40 {
        let mut command = openssl(["rand", "-hex", "32"]);
        command.env("OPENSSL_CONF", &file);
        let number = output(command)?;
        if number.len() < 64 || !seen.insert(number.clone()) {
            return Err(format!("not random: {}", String::from_utf8_lossy(&number)));
        }
    }
    Ok(())
}

/// A module that is empty, cut off, scrambled or without its entry: `openssl` says so, and without it all
/// is as before.
///
/// Not among them: a file cut in the middle of what the dynamic loader maps. There the loader itself ends
/// the process by SIGBUS, with this library as with any other.
fn damaged(modules: &Path) -> Result<(), String> {
    let whole = fs::read(module(modules)).map_err(|error| error.to_string())?;
    let mut scrambled = whole.clone();
    scrambled[..64].fill(0x5a);
    let mut nameless = whole.clone();
    let name = b"OSSL_provider_init";
    let mut renamed = 0;
    for at in 0..nameless.len() - name.len() {
        if nameless[at..].starts_with(name) {
            nameless[at] = b'X';
            renamed += 1;
        }
    }
    if renamed == 0 {
        return Err("the module has no entry to damage".to_owned());
    }
    let damages: [(&str, &[u8]); 4] = [
        ("empty", &[]),
        ("cut to its header", &whole[..64]),
        ("scrambled", &scrambled),
        ("without its entry", &nameless),
    ];
    for (damage, bytes) in damages {
        let scratch = Scratch::new()?;
        let broken = scratch.write("libwirespeed.so", bytes)?;
        let plain = scratch.write("plain", painted(73, 1000))?;
        let algorithm = Algorithm::ALL[3];
        let (key, iv) = (painted(71, algorithm.key_bytes()), painted(72, algorithm.iv_bytes()));
        let secrets = (key.as_slice(), iv.as_slice());
        let right = enc(algorithm, secrets, &plain, &[])?;
        // Asked for by name, it is an error that names it.
        let options = with_module(&scratch.path(""), "?provider=wirespeed");
        match enc(algorithm, secrets, &plain, &options) {
            Err(error) if error.contains("libwirespeed") && !error.contains("signal") => {}
            Err(error) => return Err(format!("module {damage}: {error}")),
            Ok(_) => return Err(format!("module {damage}: taken")),
        }
        // In the configuration, programs go on without it.
        let file = scratch.write("openssl.cnf", configuration(&broken, ""))?;
        let mut command =
            openssl(["enc", "-aes-128-cbc", "-K", &hex(&key), "-iv", &hex(&iv), "-in"]);
        command.arg(&plain).env("OPENSSL_CONF", file);
        same(|| format!("module {damage}"), &right, &output(command)?)?;
    }
    Ok(())
}

/// A wrong value is an error in the queue that names its key, and the program goes on without us.
fn wrong_configuration(modules: &Path) -> Result<(), String> {
    let plain_text = painted(74, 1000);
    let (key, iv) = (painted(71, 16), painted(72, 16));
    for (line, words) in [
        ("routes = nonsense", ["routes", "nonsense"]),
        ("routes = padlock", ["routes", "padlock"]),
        ("ciphers = NOPE", ["ciphers", "NOPE"]),
    ] {
        let scratch = Scratch::new()?;
        let file = scratch.write("openssl.cnf", configuration(&module(modules), line))?;
        let context = Context::new(here::library()).map_err(|error| error.to_string())?;
        // A provider that the configuration itself activates, and that does not start, is no error to
        // OpenSSL, which drops what it said (CONF_modules_load). Loaded by name it is one.
        let by_name = configuration(&module(modules), line).replace(OURS_ACTIVE, "");
        let by_name = scratch.write("by-name.cnf", by_name)?;
        context.load_config(&by_name).map_err(|error| error.to_string())?;
        let Err(error) = context.load("wirespeed") else { return Err(format!("{line}: taken")) };
        let error = error.to_string();
        if let Some(word) = words.iter().find(|word| !error.contains(**word)) {
            return Err(format!("{line}: no word of {word} in {error}"));
        }
        let plain = scratch.write("plain", &plain_text)?;
        let right = enc(Algorithm::ALL[3], (&key, &iv), &plain, &[])?;
        let mut command =
            openssl(["enc", "-aes-128-cbc", "-K", &hex(&key), "-iv", &hex(&iv), "-in"]);
        command.arg(&plain).env("OPENSSL_CONF", &file);
        same(|| line.to_owned(), &right, &output(command)?)?;
    }
    Ok(())
}

/// `routes = …` forces one, and a list of ciphers leaves the others to the default provider.
fn forced_route(modules: &Path) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let line = "routes = portable\nciphers = AES-128-CTR";
    let file = scratch.write("openssl.cnf", configuration(&module(modules), line))?;
    let context = Context::new(here::library()).map_err(|error| error.to_string())?;
    context.load_config(&file).map_err(|error| error.to_string())?;
    for (algorithm, provider) in [("AES-128-CTR", "wirespeed"), ("AES-128-CBC", "default")] {
        let cipher = context.fetch(algorithm, None).map_err(|error| error.to_string())?;
        if cipher.provider() != provider {
            return Err(format!("{algorithm} from {}, not {provider}", cipher.provider()));
        }
    }
    Ok(())
}
