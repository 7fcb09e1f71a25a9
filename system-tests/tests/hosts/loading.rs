//! Hosts that load and unload the module in ways that hurt careless ones. Each test is a process of its
//! own: this program again, told by a variable what to do.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::chroot;
use std::path::Path;
use std::sync::{Barrier, Mutex};
use std::thread;

use wirespeed_cipher::Direction::Encrypt;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::fork;
use wirespeed_libcrypto::{Cipher, Context, DigestContext, Direction, Library, Param};
use wirespeed_system_tests::module::{self, Provided, Watched};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

use crate::Run;

/// Tells this program which of [`HOSTS`] to be, and the configuration to use.
const HOST: &str = "WIRESPEED_HOST";
const CONFIGURATION: &str = "WIRESPEED_CONFIGURATION";

/// What a process does with a configuration of ours.
type Host = fn(&Path) -> Result<(), String>;

const HOSTS: &[(&str, Host)] = &[
    ("again-and-again", again_and_again),
    ("own-context", own_context),
    ("threads-outlive-it", threads_outlive_it),
    ("hashing-threads", hashing_threads),
    ("changed-root", changed_root),
    ("no-descriptors", no_descriptors),
    ("family", family),
];

/// What [`HOSTS`] is to the outside.
pub(crate) const TESTS: &[(&str, Run)] = &[
    ("loading::again-and-again", || in_a_process("again-and-again")),
    ("loading::own-context", || in_a_process("own-context")),
    ("loading::threads-outlive-it", || in_a_process("threads-outlive-it")),
    ("loading::hashing-threads", || in_a_process("hashing-threads")),
    ("loading::no-descriptors", || in_a_process("no-descriptors")),
    ("loading::family", || in_a_process("family")),
];

/// Needs the right to change the root directory.
pub(crate) const PRIVILEGED_TESTS: &[(&str, Run)] =
    &[("loading::changed-root", || in_a_process("changed-root"))];

/// Runs this program again; the module must have been loaded and have counted.
fn in_a_process(name: &str) -> Result<(), String> {
    let ours = Watched::new()?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut program = command(program);
    // The process configures contexts of its own; its global one is the default provider's.
    Provided::Stock.to(&mut program).env(HOST, name).env(CONFIGURATION, ours.configuration());
    output(&mut program)?;
    ours.ran("AES-128-GCM", Encrypt, LENGTH as u64)
}

/// What this process was told to be, done; nothing in a process that was told nothing.
pub(crate) fn child() -> Option<Result<(), String>> {
    let name = std::env::var_os(HOST)?;
    let configuration = std::env::var_os(CONFIGURATION)?;
    let (_, host) = HOSTS.iter().find(|(known, _)| name == **known)?;
    Some(host(Path::new(&configuration)))
}

fn library() -> Library {
    Library::host().expect("these tests need a libcrypto of OpenSSL 3.0 or later")
}

fn configured(configuration: &Path) -> Result<Context, String> {
    let context = Context::new(library()).map_err(|error| error.to_string())?;
    context.load_config(configuration).map_err(|error| error.to_string())?;
    Ok(context)
}

const LENGTH: usize = 1420;

/// One message; its ciphertext and tag.
fn message(cipher: &Cipher) -> Result<Vec<u8>, String> {
    let work = || {
        let mut work = cipher.context()?;
        let ivlen = [Param::size(c"ivlen", 12)];
        work.init(Direction::Encrypt, Some(&painted(1, 16)), Some(&painted(2, 12)), &ivlen)?;
        let mut output = vec![0; LENGTH];
        work.update(&painted(3, LENGTH), &mut output)?;
        work.finish(&mut [])?;
        let mut tag = [0; 16];
        work.tag(&mut tag)?;
        output.extend(tag);
        Ok(output)
    };
    work().map_err(|error: wirespeed_libcrypto::Error| error.to_string())
}

/// The cipher of all these tests, which must come from `provider`.
fn fetch(context: &Context, provider: &str) -> Result<Cipher, String> {
    let cipher = context.fetch("AES-128-GCM", None).map_err(|error| error.to_string())?;
    match cipher.provider() {
        found if found == provider => Ok(cipher),
        found => Err(format!("served by {found}, not {provider}")),
    }
}

/// What the default provider makes of the message.
fn right() -> Result<Vec<u8>, String> {
    let context = Context::new(library()).map_err(|error| error.to_string())?;
    context.load("default").map_err(|error| error.to_string())?;
    message(&fetch(&context, "default")?)
}

/// How much of the system this process holds.
#[derive(Debug)]
struct Held {
    bytes: usize,
    mappings: usize,
    descriptors: usize,
}

impl Held {
    fn now() -> Result<Self, String> {
        let count = |path: &str| fs::read_dir(path).map(Iterator::count);
        let descriptors = count("/proc/self/fd").map_err(|error| error.to_string())?;
        let mappings = maps()?.lines().count();
        // SAFETY: no precondition; glibc 2.33 and later.
        let bytes = unsafe { libc::mallinfo2() }.uordblks;
        Ok(Self { bytes, mappings, descriptors })
    }
}

fn maps() -> Result<String, String> {
    fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())
}

/// Loaded, used and unloaded a thousand times, nothing of ours is left over, not even the file in
/// memory. Library contexts themselves leave something behind, which the default provider alone shows.
fn again_and_again(configuration: &Path) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let stock = "openssl_conf = init\n[init]\nproviders = providers\n\
                 [providers]\ndefault = default_provider\n[default_provider]\nactivate = 1\n";
    let stock = thousand(&scratch.write("stock.cnf", stock)?, "default")?;
    let ours = thousand(configuration, "wirespeed")?;
    if ours > stock + ROUNDS {
        return Err(format!("{ours} bytes more after {ROUNDS} rounds; without us {stock}"));
    }
    gone()
}

const ROUNDS: usize = 1000;

/// How many bytes more are in use after a thousand rounds.
fn thousand(configuration: &Path, provider: &str) -> Result<usize, String> {
    let right = right()?;
    let mut early = None;
    for round in 0..ROUNDS {
        let context = configured(configuration)?;
        let cipher = fetch(&context, provider)?;
        same(|| format!("round {round}"), &right, &message(&cipher)?)?;
        // What is set up once for each process is there after some rounds.
        if round == 50 {
            early = Some(Held::now()?);
        }
    }
    let (early, late) = (early.ok_or("too few rounds")?, Held::now()?);
    if late.mappings > early.mappings + 3 || late.descriptors != early.descriptors {
        return Err(format!("{provider}: from {early:?} to {late:?}"));
    }
    Ok(late.bytes.saturating_sub(early.bytes))
}

/// After the last context the module is no longer in memory.
fn gone() -> Result<(), String> {
    match maps()?.lines().find(|line| line.contains("libwirespeed")) {
        None => Ok(()),
        Some(line) => Err(format!("the module is still here: {line}")),
    }
}

/// A library context of one's own has us; another, and one after it, do not.
fn own_context(configuration: &Path) -> Result<(), String> {
    let right = right()?;
    let ours = configured(configuration)?;
    let theirs = Context::new(library()).map_err(|error| error.to_string())?;
    theirs.load("default").map_err(|error| error.to_string())?;
    for _ in 0..3 {
        same(|| "ours".to_owned(), &right, &message(&fetch(&ours, "wirespeed")?)?)?;
        same(|| "theirs".to_owned(), &right, &message(&fetch(&theirs, "default")?)?)?;
    }
    drop(ours);
    same(|| "theirs, alone".to_owned(), &right, &message(&fetch(&theirs, "default")?)?)?;
    gone()
}

/// Threads that used the module end after it is gone.
fn threads_outlive_it(configuration: &Path) -> Result<(), String> {
    let right = right()?;
    let context = configured(configuration)?;
    let cipher = fetch(&context, "wirespeed")?;
    let start = Barrier::new(9);
    let go_on = Barrier::new(9);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|number| {
                let (cipher, right, start, go_on) = (cipher.clone(), &right, &start, &go_on);
                scope.spawn(move || {
                    let result = message(&cipher)
                        .and_then(|got| same(|| format!("thread {number}"), right, &got));
                    drop(cipher);
                    start.wait();
                    go_on.wait();
                    result
                })
            })
            .collect();
        start.wait();
        drop((cipher, context));
        let gone = gone();
        go_on.wait();
        let ends = workers.into_iter().map(|it| it.join().map_err(|_| "a thread".to_owned()));
        ends.map(Result::flatten).collect::<Result<Vec<()>, _>>().and(gone)
    })
}

/// Threads, more of them than keep a context of a hash function for their next message, while others of them end and
/// contexts wander from one to another. Nobody counts here: what is counted is kept by nobody.
fn hashing_threads(configuration: &Path) -> Result<(), String> {
    const THREADS: usize = 100;
    let scratch = Scratch::new()?;
    let module = module::file().ok_or("WIRESPEED_MODULES is not set")?;
    let lines = module::configuration(&module, "routes = portable");
    let failed = |error: wirespeed_libcrypto::Error| error.to_string();
    let hash = |digest: &mut DigestContext, length: usize| {
        let mut hash = [0; 64];
        digest.init()?;
        digest.update(&painted(4, length))?;
        digest.finish(&mut hash)?;
        Ok::<_, wirespeed_libcrypto::Error>(hash)
    };
    let stock = Context::new(library()).map_err(failed)?;
    let right = stock.digest("SHA2-256", None).and_then(|digest| digest.context());
    let mut right = right.map_err(failed)?;
    let rights: Vec<_> = (0..THREADS)
        .map(|length| hash(&mut right, length))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let context = configured(&scratch.write("hashes.cnf", lines)?)?;
    let [first, other] = ["SHA2-256", "SHA1"].map(|name| context.digest(name, None));
    let (first, other) = (first.map_err(failed)?, other.map_err(failed)?);
    if first.provider() != "wirespeed" || other.provider() != "wirespeed" {
        return Err(format!("served by {} and {}", first.provider(), other.provider()));
    }
    for _ in 0..2 {
        let (wandering, all) = (Mutex::new(Vec::new()), Barrier::new(THREADS));
        let work = |number: usize| {
            all.wait();
            for _ in 0..100 {
                let mut work = first.context()?;
                let got = hash(&mut work, number)?;
                if got != rights[number] {
                    return Ok(false);
                }
                hash(&mut other.context()?, number)?;
                let mut wandering = wandering.lock().expect("nobody panicked");
                wandering.push(work);
                if number.is_multiple_of(2) {
                    wandering.clear();
                }
            }
            Ok(true)
        };
        thread::scope(|scope| {
            let work = &work;
            let workers: Vec<_> =
                (0..THREADS).map(|number| scope.spawn(move || work(number))).collect();
            workers.into_iter().try_for_each(|it| match it.join().expect("no panic") {
                Ok(true) => Ok(()),
                Ok(false) => Err("a wrong hash".to_owned()),
                Err(error) => Err(failed(error)),
            })
        })?;
    }
    drop((first, other, context));
    gone()?;
    // What the counters are to show.
    own_context(configuration)
}

/// A process that has locked itself into a directory without libraries goes on.
fn changed_root(configuration: &Path) -> Result<(), String> {
    let right = right()?;
    let context = configured(configuration)?;
    let cipher = fetch(&context, "wirespeed")?;
    let before = message(&cipher)?;
    // Nothing can be taken away from in there, so it is a directory of the process that waits for us.
    let folder = configuration.parent().ok_or("the configuration lies in a directory")?;
    chroot(folder).and_then(|()| std::env::set_current_dir("/")).map_err(whole)?;
    same(|| "before".to_owned(), &right, &before)?;
    same(|| "the same cipher".to_owned(), &right, &message(&cipher)?)?;
    same(|| "fetched anew".to_owned(), &right, &message(&fetch(&context, "wirespeed")?)?)
}

fn whole(error: io::Error) -> String {
    error.to_string()
}

/// Without a descriptor to spare the module does not load, and that is an error; loaded before, it needs
/// none.
fn no_descriptors(configuration: &Path) -> Result<(), String> {
    let right = right()?;
    let context = configured(configuration)?;
    let cipher = fetch(&context, "wirespeed")?;
    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
        if held.len() > 100_000 {
            return Err("no limit of descriptors".to_owned());
        }
    }
    let refused = configured(configuration).is_err();
    let works = message(&cipher).and_then(|got| same(|| "exhausted".to_owned(), &right, &got));
    // One more after the other: wherever loading gets to with so many, it is an error or it works.
    for _ in 0..8 {
        held.pop();
        if let Ok(context) = configured(configuration)
            && let Ok(cipher) = fetch(&context, "wirespeed")
        {
            same(|| "a few".to_owned(), &right, &message(&cipher)?)?;
        }
    }
    drop(held);
    works?;
    if !refused {
        return Err("loaded without a descriptor".to_owned());
    }
    let context = configured(configuration)?;
    same(|| "again".to_owned(), &right, &message(&fetch(&context, "wirespeed")?)?)
}

/// Children of a process that loaded the module count in the same file, and load it anew if they like.
fn family(configuration: &Path) -> Result<(), String> {
    let right = right()?;
    let context = configured(configuration)?;
    let cipher = fetch(&context, "wirespeed")?;
    let well = || message(&cipher).is_ok_and(|got| got == right);
    let anew = || {
        let context = configured(configuration);
        let cipher = context.and_then(|context| fetch(&context, "wirespeed"));
        cipher.and_then(|cipher| message(&cipher)).is_ok_and(|got| got == right)
    };
    let children: Vec<_> = (0..20).map(|_| fork::child(|| well() && anew())).collect();
    if !well() || !children.into_iter().all(fork::Child::wait) {
        return Err("wrong in a child".to_owned());
    }
    Ok(())
}
