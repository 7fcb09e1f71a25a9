//! A context for every message, as most bindings of other languages have it: made, used once, and freed.

use wirespeed_cipher::Algorithm;
use wirespeed_libcrypto::{Cipher, Context, Direction, Error, Library};
use wirespeed_measure::statistics::{Estimate, paired_ratio};
use wirespeed_measure::{Contestant, Effort};

use crate::Bench;
use crate::module::{Module, NAME};
use crate::report::Report;
use crate::requirements::{CONTEXTS, NEVER_SLOWER, NO_MORE};
use crate::routing::in_turns;

/// Bytes in a message: whole blocks of every mode.
const BYTES: [usize; 2] = [64, 1408];

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    println!("\nA new context for every message, over the same by the default provider");
    let named = |name: &&str| name.parse().expect("the table holds known names");
    let all: Vec<Algorithm> = CONTEXTS.iter().map(named).collect();
    // What is kept of one kind must not be in the way of others.
    let by_turns = std::iter::once(("ciphers by turns".to_owned(), &all[..]));
    let each = all.iter().map(|it| (it.name().to_owned(), std::slice::from_ref(it)));
    for (name, algorithms) in each.chain(by_turns) {
        for bytes in BYTES {
            let title = format!("{name} context and message {bytes} B");
            if !bench.wants_words(&title.to_lowercase()) {
                continue;
            }
            match measure(bench, library, algorithms, bytes) {
                Err(why) => report.fail(&title, why),
                Ok(ratio) => report.ratio(&title, &ratio, (NEVER_SLOWER.0, NO_MORE), ""),
            }
        }
    }
}

fn measure(
    bench: &Bench,
    library: Library,
    algorithms: &[Algorithm],
    bytes: usize,
) -> Result<Estimate, String> {
    let module = Module::of_this_build(library)?;
    let ours = module.context("")?;
    ours.load(NAME).map_err(|why| why.to_string())?;
    let stock = Context::new(library).map_err(|why| why.to_string())?;
    let contestant = |context: Context| {
        let made = algorithms.iter().map(|algorithm| {
            let cipher = context.fetch(algorithm.name(), None).map_err(|why| why.to_string())?;
            let mut made = Made::new(cipher, *algorithm, bytes);
            made.message().map_err(|why| why.to_string())?;
            Ok(made)
        });
        let made = made.collect::<Result<Vec<_>, String>>()?;
        Ok::<Box<dyn Contestant>, String>(Box::new(ByTurns(made)))
    };
    let pair = [contestant(stock)?, contestant(ours)?];
    let [stock, ours] = in_turns(Effort::lasting(bench.seconds), pair);
    paired_ratio(&stock, &ours).ok_or_else(|| "no rounds".to_owned())
}

/// One message after another, each in a context of its own.
struct Made {
    cipher: Cipher,
    key: Vec<u8>,
    iv: Vec<u8>,
    has_tag: bool,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Made {
    fn new(cipher: Cipher, algorithm: Algorithm, bytes: usize) -> Self {
        Self {
            cipher,
            // XTS wants its halves to differ.
            key: (1..).take(algorithm.key_bytes()).collect(),
            iv: vec![1; algorithm.iv_bytes()],
            has_tag: algorithm.mode().has_tag(),
            input: vec![7; bytes],
            // CBC writes its padding.
            output: vec![0; bytes + 32],
        }
    }

    fn message(&mut self) -> Result<(), Error> {
        let mut context = self.cipher.context()?;
        context.init(Direction::Encrypt, Some(&self.key), Some(&self.iv), &[])?;
        let written = context.update(&self.input, &mut self.output)?;
        context.finish(&mut self.output[written..])?;
        if self.has_tag {
            context.tag(&mut [0; 16])?;
        }
        Ok(())
    }
}

/// A message of each, one after the other.
struct ByTurns(Vec<Made>);

impl Contestant for ByTurns {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            for made in &mut self.0 {
                made.message().expect("it went well before");
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|made| made.input.len() as u64).sum()
    }
}
