//! Independent messages of one length, taken all at once by our own code.

use std::hint::black_box;

use wirespeed_batch::{
    ChainMode, CipherJob, CipherLanes, GcmLanes, HmacKey, Lanes, Packet, PacketKey, encrypt_all,
    hash_all, hmac_all, seal_all, self_test,
};
use wirespeed_cipher::{Algorithm, BlockKey, Digest, Direction, InOut, Mode, Route};
use wirespeed_cpu::Features;
use wirespeed_measure::Contestant;

use crate::buffers::Buffers;
use crate::requirements::BATCH_MESSAGES;

/// What every message is encrypted or hashed under.
pub(crate) const KEY: [u8; 16] = [7; 16];
pub(crate) const IV: [u8; 16] = [1; 16];

/// Messages for our own code, so many in each call.
#[derive(Clone)]
pub(crate) struct Messages {
    work: Work,
    at_once: usize,
    inputs: Buffers,
    outputs: Buffers,
    /// The hash or the tag of each.
    ends: Vec<Vec<u8>>,
}

#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "there is but one at a time")]
enum Work {
    Hash(Lanes),
    Hmac(Lanes, HmacKey),
    Chain(CipherLanes, BlockKey),
    Packets(GcmLanes, PacketKey),
}

impl Work {
    /// By OpenSSL's name, with the best lanes of this CPU.
    fn new(name: &str, features: Features) -> Result<Self, String> {
        let lanes = |name: &str| {
            let digest = name.parse::<Digest>().ok().filter(|it| Lanes::DIGESTS.contains(it));
            let lanes = Lanes::best(digest.ok_or("no lanes of ours take it")?, features);
            if self_test(&lanes) { Ok(lanes) } else { Err("its self-test") }
        };
        let Ok(algorithm) = name.parse::<Algorithm>() else {
            return Ok(match name.strip_prefix("HMAC-") {
                None => Self::Hash(lanes(name)?),
                Some(name) => {
                    let lanes = lanes(name)?;
                    Self::Hmac(lanes, HmacKey::new(&lanes, &KEY))
                }
            });
        };
        let cipher = algorithm.block_cipher().ok_or("it is no block cipher")?;
        if algorithm.mode() == Mode::Gcm {
            let lanes = GcmLanes::best(cipher, features);
            return Ok(Self::Packets(lanes, PacketKey::new(&lanes, &KEY)));
        }
        let chain = ChainMode::of(algorithm.mode()).ok_or("it is no chain")?;
        let lanes = CipherLanes::best(cipher, chain, features);
        let mut key = BlockKey::empty(lanes.kernels());
        key.set(&KEY, Direction::Encrypt);
        Ok(Self::Chain(lanes, key))
    }

    /// The route of many at once.
    const fn route(&self) -> Route {
        match self {
            Self::Hash(lanes) | Self::Hmac(lanes, _) => lanes.route(),
            Self::Chain(lanes, _) => lanes.route(),
            Self::Packets(lanes, _) => lanes.route(),
        }
    }

    /// The route of one by itself.
    const fn single_route(&self) -> Route {
        match self {
            Self::Hash(lanes) | Self::Hmac(lanes, _) => lanes.single_route(),
            _ => self.route(),
        }
    }

    fn run(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]], ends: &mut [Vec<u8>]) {
        let keep = |ends: &mut [Vec<u8>], hashes: &[_]| {
            for (end, hash) in ends.iter_mut().zip(hashes) {
                let hash: &wirespeed_batch::Hash = hash;
                end.clear();
                end.extend_from_slice(hash.as_ref());
            }
        };
        match self {
            Self::Hash(lanes) => {
                keep(ends, &hash_all(lanes, inputs));
            }
            Self::Hmac(lanes, key) => {
                let messages: Vec<_> = inputs.iter().map(|it| (key, *it)).collect();
                keep(ends, &hmac_all(lanes, &messages));
            }
            Self::Chain(lanes, key) => {
                let mut ivs = [IV; BATCH_MESSAGES];
                let jobs = inputs.iter().zip(outputs).zip(&mut ivs).map(|((input, output), iv)| {
                    CipherJob { key: key.schedule(), iv, data: InOut::between(input, output) }
                });
                encrypt_all(lanes, &mut jobs.collect::<Vec<_>>());
            }
            Self::Packets(lanes, key) => {
                let data = inputs.iter().zip(outputs).zip(ends);
                let packets = data.map(|((input, output), tag)| {
                    let data = InOut::between(input, output);
                    tag.resize(16, 0);
                    Packet { key, iv: &IV[..12], aad: &[], data, tag }
                });
                seal_all(lanes, &mut packets.collect::<Vec<_>>()).expect("short packets");
            }
        }
    }
}

impl Messages {
    /// By OpenSSL's name, all at once.
    pub(crate) fn new(name: &str, features: Features, bytes: usize) -> Result<Self, String> {
        let work = Work::new(name, features)?;
        let inputs = Buffers::filled(BATCH_MESSAGES, bytes);
        let (outputs, ends) = (inputs.clone(), vec![Vec::new(); BATCH_MESSAGES]);
        Ok(Self { work, at_once: BATCH_MESSAGES, inputs, outputs, ends })
    }

    /// The same by our own single stream.
    pub(crate) fn one_after_another(self) -> Self {
        Self { at_once: 1, ..self }
    }

    /// The route of many at once.
    pub(crate) const fn route(&self) -> Route {
        self.work.route()
    }

    /// The route of one by itself.
    pub(crate) const fn single_route(&self) -> Route {
        self.work.single_route()
    }

    /// What came out of each message: where a cipher ran its bytes, then its hash or tag.
    pub(crate) fn results(&mut self) -> Vec<Vec<u8>> {
        self.run(1);
        let results = self.outputs.iter().zip(&self.ends);
        match self.work {
            Work::Hash(_) | Work::Hmac(..) => self.ends.clone(),
            Work::Chain(..) => self.outputs.iter().map(<[u8]>::to_vec).collect(),
            Work::Packets(..) => results.map(|(output, tag)| [output, tag].concat()).collect(),
        }
    }
}

impl Contestant for Messages {
    /// Every call goes over all messages, so that contestants find them in the same cache.
    fn run(&mut self, calls: u64) {
        let Self { work, at_once, inputs, outputs, ends } = self;
        for _ in 0..calls {
            let (inputs, mut outputs) =
                (Vec::from_iter(inputs.iter()), Vec::from_iter(outputs.iter_mut()));
            let all = inputs.chunks(*at_once).zip(outputs.chunks_mut(*at_once));
            for ((inputs, outputs), ends) in all.zip(ends.chunks_mut(*at_once)) {
                work.run(black_box(inputs), outputs, ends);
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.inputs.total()
    }
}
