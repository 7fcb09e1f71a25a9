//! Many messages in a pipeline of ours, against one after another by the default provider, both through EVP.

use wirespeed_libcrypto::{Cipher, CipherContext, Context, Direction, Error, Library, Pipeline};
use wirespeed_measure::contest::{Ring, run as hold};
use wirespeed_measure::statistics::paired_ratio;
use wirespeed_measure::{Contestant, Effort};

use crate::Bench;
use crate::buffers::Buffers;
use crate::messages::{IV, KEY};
use crate::module::{Module, NAME};
use crate::report::Report;
use crate::requirements::{BATCH_MESSAGES, PIPELINES};

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    println!(
        "\n{BATCH_MESSAGES} messages in a pipeline, against the default provider one after another"
    );
    if library.version_numbers() < (3, 5, 0) {
        return println!(
            "skipped: {} has no pipelines; --libcrypto names another",
            library.version()
        );
    }
    for &(name, bytes, at_least, reach_for) in PIPELINES {
        let title = format!("{name} {bytes} B enc pipeline");
        if !bench.wants_words(&title.to_lowercase()) {
            continue;
        }
        let (alone, piped) = match contestants(library, name, bytes) {
            Ok(both) => both,
            Err(why) => {
                report.fail(&title, why);
                continue;
            }
        };
        if !alone.outputs.iter().eq(piped.outputs.iter()) {
            report.fail(&title, "a pipeline gives other bytes");
            continue;
        }
        let mut pair: [Box<dyn Contestant>; 2] = [Box::new(alone), Box::new(piped)];
        let samples = hold(&Ring::CPU_TIME, Effort::lasting(bench.seconds), &mut pair);
        let ratio = paired_ratio(&samples[0].nanos_per_byte(), &samples[1].nanos_per_byte());
        report.ratio(&title, &ratio.expect("both ran"), (at_least, reach_for), "");
    }
}

/// Both after one round.
fn contestants(
    library: Library,
    name: &str,
    bytes: usize,
) -> Result<(Messages<CipherContext>, Messages<Pipeline>), String> {
    let told = |why: Error| why.to_string();
    let default = Context::new(library).map_err(told)?;
    default.load("default").map_err(told)?;
    let ours = Module::of_this_build(library)?.context("")?;
    ours.load(NAME).map_err(told)?;
    let cipher = |context: &Context| context.fetch(name, None).map_err(told);
    let alone = Messages::new(&cipher(&default)?, bytes, Cipher::context).map_err(told)?;
    let piped = Messages::new(&cipher(&ours)?, bytes, Pipeline::new).map_err(told)?;
    Ok((alone, piped))
}

/// Messages under a key that is kept, each with an IV of its own; unpadded, as packets are.
struct Messages<W> {
    work: W,
    iv_bytes: usize,
    inputs: Buffers,
    outputs: Buffers,
}

/// A way to encrypt them all.
trait Encrypt {
    /// With the key if it is new.
    fn encrypt(
        &mut self,
        key: Option<&[u8]>,
        iv: &[u8],
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Error>;
}

impl Encrypt for CipherContext {
    fn encrypt(
        &mut self,
        mut key: Option<&[u8]>,
        iv: &[u8],
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Error> {
        for (input, output) in inputs.iter().zip(outputs) {
            let is_first = key.is_some();
            self.init(Direction::Encrypt, key.take(), Some(iv), &[])?;
            if is_first {
                self.set_padding(false)?;
            }
            let written = self.update(input, output)?;
            self.finish(&mut output[written..])?;
            if self.cipher().is_aead() {
                self.tag(&mut [0; 16])?;
            }
        }
        Ok(())
    }
}

impl Encrypt for Pipeline {
    fn encrypt(
        &mut self,
        key: Option<&[u8]>,
        iv: &[u8],
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Error> {
        let mut written = [0; BATCH_MESSAGES];
        self.init(Direction::Encrypt, key, &[iv; BATCH_MESSAGES])?;
        if key.is_some() {
            self.set_padding(false)?;
        }
        self.update(inputs, outputs, &mut written)?;
        let mut free: Vec<&mut [u8]> =
            outputs.iter_mut().zip(written).map(|(output, count)| &mut output[count..]).collect();
        self.finish(&mut free, &mut written)?;
        if self.cipher().is_aead() {
            self.tags()?;
        }
        Ok(())
    }
}

impl<W: Encrypt> Messages<W> {
    fn new(
        cipher: &Cipher,
        bytes: usize,
        work: impl Fn(&Cipher) -> Result<W, Error>,
    ) -> Result<Self, Error> {
        let inputs = Buffers::filled(BATCH_MESSAGES, bytes);
        // A final may write a block more.
        let outputs = Buffers::new(BATCH_MESSAGES, bytes + 32);
        let iv_bytes = if cipher.is_aead() { 12 } else { 16 };
        let mut messages = Self { work: work(cipher)?, iv_bytes, inputs, outputs };
        messages.all(Some(&KEY))?;
        Ok(messages)
    }

    fn all(&mut self, key: Option<&[u8]>) -> Result<(), Error> {
        let inputs: Vec<&[u8]> = self.inputs.iter().collect();
        let mut outputs: Vec<&mut [u8]> = self.outputs.iter_mut().collect();
        self.work.encrypt(key, &IV[..self.iv_bytes], &inputs, &mut outputs)
    }
}

impl<W: Encrypt + Send> Contestant for Messages<W> {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            if let Err(why) = self.all(None) {
                panic!("what went well once: {why}");
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.inputs.total()
    }
}
