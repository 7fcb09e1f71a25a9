//! Plays sequences in children, which may crash, and says what was found.

use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use wirespeed_conformance::fork;
use wirespeed_conformance::plans::handing_on;
use wirespeed_conformance::scratch::Scratch;
use wirespeed_fork::Word;
use wirespeed_kernels::ROUTES;
use wirespeed_libcrypto::Library;

use crate::calls::{Call, Family, Sequence};
use crate::compare::{Difference, first_difference};
use crate::moment::Moment;
use crate::raw::{Functions, Opaque};
use crate::world::{Side, World};
use crate::{algorithms, finds, generator, known};

/// Sequences of one child.
const BATCH: u64 = 2000;

/// From how many sequences on an entry of the table that was never met is worth a line.
const LONG: u64 = 1_000_000;

/// What a child leaves to its parent.
struct Shared {
    seed: Word,
    /// 0 the default provider, 1 ours.
    side: Word,
    calls: Word,
    /// Whether a difference was told: what crashes then is the search for a shorter one.
    told: Word,
    met: [Word; 256],
}

impl Shared {
    fn new() -> &'static Self {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: new memory, which begins as zeros, a value of every field.
        unsafe {
            let at = libc::mmap(std::ptr::null_mut(), size_of::<Self>(), protection, flags, -1, 0);
            assert_ne!(at, libc::MAP_FAILED, "a page of memory");
            &*at.cast::<Self>()
        }
    }
}

/// One variant of the module.
pub(crate) struct Played<'a> {
    pub(crate) library: Library,
    pub(crate) modules: &'a Path,
    pub(crate) name: &'static str,
    pub(crate) lines: &'static str,
}

struct Stage {
    raw: Functions,
    version: known::Version,
    algorithms: Vec<(Family, &'static str, [Opaque; 2])>,
    shared: &'static Shared,
}

impl Played<'_> {
    pub(crate) fn run(&self, first: u64, count: u64) -> Result<(), String> {
        let raw = Functions::find(self.library.path());
        let scratch = Scratch::new()?;
        scratch.write("plan", handing_on(self.library.version()).to_string())?;
        let lines = self.lines.replace("SCRATCH", &scratch.root().to_string_lossy());
        let module = |lines: &str| {
            let text = format!(
                "openssl_conf = init\n[init]\nproviders = providers\n\
                 [providers]\nwirespeed = module_section\ndefault = default_section\n\
                 [default_section]\nactivate = 1\n\
                 [module_section]\nmodule = {}/libwirespeed.so\nactivate = 1\n{lines}\n",
                self.modules.display()
            );
            Side::module(&raw, &scratch.write("openssl.cnf", text)?)
        };
        // Of several listed routes the first that has an algorithm serves. One that this machine lacks refuses to load.
        let here = ROUTES.iter().filter(|it| module(&format!("routes = {it}\n")).is_ok());
        let here = here.map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let ours = module(&lines.replace("BEST", &here))?;
        let sides = [Side::default(&raw)?, ours];
        let mut algorithms = Vec::new();
        for family in [Family::Cipher, Family::Digest, Family::Mac] {
            for name in algorithms::all(family) {
                let both = [0, 1].map(|at| sides[at].fetch(&raw, family, name));
                // GCM-SIV is there since 3.2, and SM4's AEADs and XTS.
                if both.iter().all(|it| !it.is_null()) {
                    algorithms.push((family, name, both));
                }
            }
        }
        println!("{}: {} algorithms on both sides", self.name, algorithms.len());
        if algorithms.is_empty() || self.name != "priority" && algorithms.len() < 60 {
            return Err(format!("only {} algorithms are on both sides", algorithms.len()));
        }
        let version = self.library.version_numbers();
        let stage = Stage { raw, version, algorithms, shared: Shared::new() };
        let mut faults = Vec::new();
        for (about, sequence) in finds::all() {
            stage.in_child(&mut faults, u64::MAX, &mut || stage.play(&about, &sequence));
        }
        let (mut seed, end, mut crashes) = (first, first + count, 0_u64);
        while seed < end && faults.len() < 20 {
            let batch = seed..(seed + BATCH).min(end);
            let last = batch.end;
            let crashed = stage.in_child(&mut faults, seed, &mut || {
                batch.clone().all(|seed| {
                    stage.shared.seed.store(seed, Relaxed);
                    stage.play(&format!("seed {seed}"), &generator::sequence(seed))
                })
            });
            seed = match crashed {
                Some(seed) => seed + 1,
                None => last,
            };
            crashes += u64::from(crashed.is_some());
        }
        let calls = stage.shared.calls.load(Relaxed);
        println!(
            "{}: seeds {first} to {}: {calls} calls; {crashes} batches ended early, {} of them by ours",
            self.name,
            seed.saturating_sub(1),
            faults.len()
        );
        for (at, entry) in known::entries(stage.version) {
            let met = stage.shared.met[at].load(Relaxed);
            if met > 0 {
                println!("{}: known, met {met} times: {entry}", self.name);
            } else if count >= LONG / 3 {
                println!("{}: known, NEVER MET: {entry}", self.name);
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{} differences, told above; one again: WIRESPEED_SEED=… WIRESPEED_SEQUENCES=1 \
             cargo test --package wirespeed-conformance --test evp_calls -- {}",
            faults.len(),
            self.name
        ))
    }
}

impl Stage {
    /// Runs `work` in a child; the seed at which it ended before its time.
    fn in_child(
        &self,
        faults: &mut Vec<u64>,
        seed: u64,
        work: &mut dyn FnMut() -> bool,
    ) -> Option<u64> {
        self.shared.seed.store(seed, Relaxed);
        self.shared.side.store(2, Relaxed);
        self.shared.told.store(0, Relaxed);
        if fork::child(work).wait() {
            return None;
        }
        let (seed, side) = (self.shared.seed.load(Relaxed), self.shared.side.load(Relaxed));
        match side {
            _ if self.shared.told.load(Relaxed) == 1 => faults.push(seed),
            // A default provider that crashes is no fault of ours.
            0 => {
                println!("seed {seed}: the default provider crashed");
            }
            1 => {
                println!("seed {seed}: CRASH in ours");
                faults.push(seed);
            }
            _ => faults.push(seed),
        }
        Some(seed)
    }

    /// Plays a sequence; false, with the shortest one that still differs, where the sides do.
    fn play(&self, about: &str, sequence: &Sequence) -> bool {
        let Some((at, difference)) = self.difference(sequence, &sequence.calls) else {
            return true;
        };
        if let Some(entry) = known::entry(sequence.algorithm, &difference, self.version) {
            self.shared.met[entry].fetch_add(1, Relaxed);
            return true;
        }
        self.shared.side.store(2, Relaxed);
        self.shared.told.store(1, Relaxed);
        let Difference { call, kind, words } = &difference;
        println!("{about}: {}: {call}: {kind}: {words}", sequence.algorithm);
        if std::env::var_os("WIRESPEED_SURVEY").is_some() {
            self.shared.told.store(0, Relaxed);
            return true;
        }
        let calls = self.shortened(sequence, sequence.calls[..=at].to_vec(), &difference);
        for call in calls {
            println!("    {call}");
        }
        self.shared.side.store(2, Relaxed);
        false
    }

    /// Leaves out what the same difference does not need.
    fn shortened(
        &self,
        sequence: &Sequence,
        mut calls: Vec<Call>,
        wanted: &Difference,
    ) -> Vec<Call> {
        let mut at = calls.len() - 1;
        while at > 0 {
            at -= 1;
            let mut fewer = calls.clone();
            fewer.remove(at);
            // A new context without a cipher would be another matter, and null to some calls.
            if !matches!(fewer[0], Call::Init { algorithm: true, .. }) {
                continue;
            }
            let is_same = |it: &Difference| (&it.call, &it.kind) == (&wanted.call, &wanted.kind);
            let differs = || self.difference(sequence, &fewer).is_some_and(|(_, it)| is_same(&it));
            // What is left may crash the default provider.
            if fork::child(differs).wait() {
                calls = fewer;
            }
        }
        calls
    }

    /// The first call that differs, and in what.
    fn difference(&self, sequence: &Sequence, calls: &[Call]) -> Option<(usize, Difference)> {
        let (_, _, both) = self
            .algorithms
            .iter()
            .find(|(family, name, _)| (*family, *name) == (sequence.family, sequence.algorithm))?;
        let mut worlds = both.map(|fetched| World::new(&self.raw, sequence, fetched));
        let (mut moment, mut saved) = (Moment::default(), None);
        for (at, call) in calls.iter().enumerate() {
            let outcomes = [0, 1].map(|side| {
                self.shared.side.store(side, Relaxed);
                worlds[side as usize].run(call)
            });
            self.shared.calls.fetch_add(1, Relaxed);
            if let Some(difference) =
                first_difference(&self.raw, call, &moment.name(call), &outcomes)
            {
                return Some((at, difference));
            }
            match call {
                Call::Save => saved = Some(moment),
                Call::Restore => moment = saved.unwrap_or(moment),
                _ => moment.pass(sequence.family, call, outcomes[0].result > 0),
            }
        }
        self.shared.side.store(1, Relaxed);
        drop(worlds);
        None
    }
}
