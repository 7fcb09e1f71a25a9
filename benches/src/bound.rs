//! The least that a call through EVP takes, whoever computes it: EVP's own calls with a provider that does nothing, and
//! our kernels alone.

use std::hint::black_box;

use wirespeed_bench::{Candidate, Case, Runner};
use wirespeed_cipher::{Algorithm, Compression, Digest, HashKernels, Route, Subject};
use wirespeed_libcrypto::{DigestContext, Error, Library, cipher_of_nothing, hash_of_nothing};
use wirespeed_measure::contest::{self, Ring};
use wirespeed_measure::statistics::{Estimate, paired_ratio};
use wirespeed_measure::{Contestant, Effort, Samples};

use crate::Bench;

/// How many times as fast as the default provider that would be, measured in turns with it; none where we have no kernels
/// for it.
pub(crate) fn ratio(
    bench: &Bench,
    library: Library,
    case: Case,
    effort: Effort,
) -> Result<Option<Estimate>, String> {
    let parts = match case.subject {
        Subject::Digest(digest) => of_hash(bench, library, digest, case.size)?,
        Subject::Cipher(algorithm) => of_cipher(bench, library, algorithm, case)?,
        Subject::Delegated(_) => Vec::new(),
    };
    if parts.is_empty() {
        return Ok(None);
    }
    let host = bench.harness.runner(Candidate::Host, case).map_err(|why| why.to_string())?;
    let mut turns: Vec<Box<dyn Contestant>> = vec![Box::new(host)];
    turns.extend(parts);
    let samples = contest::run(&Ring::CPU_TIME, effort, &mut turns);
    let least = samples[1..]
        .iter()
        .map(Samples::nanos)
        .reduce(|sum, part| sum.iter().zip(part).map(|(sum, part)| sum + part).collect());
    Ok(least.and_then(|least| paired_ratio(&samples[0].nanos(), &least)))
}

/// EVP's calls, and the kernels' by themselves.
fn of_cipher(
    bench: &Bench,
    library: Library,
    algorithm: Algorithm,
    case: Case,
) -> Result<Vec<Box<dyn Contestant>>, String> {
    let direct = Route::PRIORITY
        .into_iter()
        .find_map(|route| bench.harness.runner(Candidate::Kernels(route), case).ok());
    let Some(direct) = direct else { return Ok(Vec::new()) };
    let nothing = cipher_of_nothing(library, algorithm.key_bytes(), algorithm.iv_bytes());
    let nothing = nothing.map_err(|why| why.to_string())?;
    let floor = Runner::on(&nothing, algorithm, case).map_err(|why| why.to_string())?;
    Ok(vec![Box::new(floor), Box::new(direct)])
}

/// Both in one.
fn of_hash(
    bench: &Bench,
    library: Library,
    digest: Digest,
    size: usize,
) -> Result<Vec<Box<dyn Contestant>>, String> {
    let Some(kernels) = kernels(bench, digest.compression()) else { return Ok(Vec::new()) };
    let bound = Bound::new(library, kernels, digest, size).map_err(|why| why.to_string())?;
    Ok(vec![Box::new(bound)])
}

/// The fastest there are, of a function whose messages end with their length.
fn kernels(bench: &Bench, compression: Compression) -> Option<&'static HashKernels> {
    let ends_so =
        matches!(compression, Compression::Sha1 | Compression::Sha256 | Compression::Sha512);
    let features = bench.harness.features();
    let mut routes = [Route::ShaNi, Route::Avx512, Route::Avx2].into_iter().filter(|_| ends_so);
    routes.find_map(|route| wirespeed_kernels::hash(route, compression, features).ok())
}

/// A provider's hash function that does nothing, and every block of the message beside it.
struct Bound {
    evp: DigestContext,
    kernels: &'static HashKernels,
    digest: Digest,
    message: Vec<u8>,
    /// The message with its padding.
    blocks: Vec<u8>,
    hash: [u8; 64],
}

impl Bound {
    fn new(
        library: Library,
        kernels: &'static HashKernels,
        digest: Digest,
        size: usize,
    ) -> Result<Self, Error> {
        let block = kernels.compression.block_bytes();
        // FIPS 180-4 §5.1: a one bit, and the length in an eighth of a block.
        let blocks = (size + 1 + block / 8).next_multiple_of(block);
        Ok(Self {
            evp: hash_of_nothing(library)?.context()?,
            kernels,
            digest,
            message: vec![1; size],
            blocks: vec![1; blocks],
            hash: [0; 64],
        })
    }

    fn once(&mut self) -> Result<(), Error> {
        self.evp.init()?;
        self.evp.update(&self.message)?;
        let mut chain = self.digest.initial();
        (self.kernels.blocks)(&mut chain, &self.blocks);
        black_box(chain);
        self.evp.finish(&mut self.hash)?;
        Ok(())
    }
}

impl Contestant for Bound {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            self.once().expect("calls that do nothing");
        }
    }

    fn bytes(&self) -> u64 {
        self.message.len() as u64
    }
}
