//! The first door: the kernels themselves, with the streams' state of `wirespeed_cipher::modes`.

use wirespeed_cipher::modes::{Feedback, Gcm, Xts};
use wirespeed_cipher::{
    Algorithm, Block, BlockCipher, BlockKernels, BlockKey, Direction, InOut, Mode, Route,
};
use wirespeed_cpu::Features;
use wirespeed_native::Absent;

use crate::door::{Door, Setup, Work};

/// The kernels of one route.
#[derive(Clone, Copy)]
pub struct Kernels {
    route: Route,
    features: Features,
}

impl Kernels {
    /// The door to `route`, on a machine with `features`.
    pub fn new(route: Route, features: Features) -> Result<Self, Absent> {
        let of = |cipher| wirespeed_native::kernels(route, cipher, features);
        // What is lacking is said of the first.
        let [first, others @ ..] = BlockCipher::ALL;
        of(first).or_else(|why| others.into_iter().find_map(|it| of(it).ok()).ok_or(why))?;
        Ok(Self { route, features })
    }

    /// The table for an algorithm, if the route has its cipher.
    pub fn table(&self, algorithm: Algorithm) -> Option<&'static BlockKernels> {
        let table =
            wirespeed_native::kernels(self.route, algorithm.cipher(), self.features).ok()?;
        assert_eq!(table.route, self.route, "the route that runs is the one asked for");
        Some(table)
    }
}

impl Door for Kernels {
    fn has(&self, algorithm: Algorithm) -> bool {
        self.table(algorithm).is_some()
    }

    fn longest_iv(&self) -> usize {
        usize::MAX
    }

    fn begin(&self, setup: &Setup<'_>) -> Result<Box<dyn Work>, String> {
        let table = self.table(setup.algorithm).ok_or("the route has no such cipher")?;
        Message::begin(table, setup).map(|message| Box::new(message) as _)
    }
}

/// A message whose kernels are called directly.
#[derive(Clone)]
pub struct Message {
    direction: Direction,
    state: State,
}

#[derive(Clone)]
enum State {
    Ecb(BlockKey),
    Cbc(BlockKey, Block),
    Feedback(Mode, BlockKey, Feedback),
    Xts(Box<Xts>),
    Gcm(Box<Gcm>),
}

impl Message {
    /// Sets everything up.
    pub fn begin(kernels: &'static BlockKernels, setup: &Setup<'_>) -> Result<Self, String> {
        let &Setup { algorithm, direction, key: bytes, iv, aad } = setup;
        let mut key = BlockKey::empty(kernels);
        let block = || Block::try_from(iv).map_err(|_| format!("IV of {} bytes", iv.len()));
        let state = match algorithm.mode() {
            Mode::Ecb => {
                key.set(bytes, direction);
                State::Ecb(key)
            }
            Mode::Cbc => {
                key.set(bytes, direction);
                State::Cbc(key, block()?)
            }
            mode @ (Mode::Cfb | Mode::Ofb | Mode::Ctr) => {
                key.set(bytes, Direction::Encrypt);
                let mut feedback = Feedback::default();
                feedback.start(&block()?);
                State::Feedback(mode, key, feedback)
            }
            Mode::Xts => {
                let mut xts = Box::new(Xts::new(kernels));
                xts.set_key(bytes, direction);
                xts.start(&block()?);
                State::Xts(xts)
            }
            Mode::Gcm => {
                let mut gcm = Box::new(Gcm::new(kernels));
                gcm.set_key(bytes);
                gcm.start(iv);
                for piece in aad {
                    gcm.aad(piece).map_err(|error| error.to_string())?;
                }
                State::Gcm(gcm)
            }
        };
        Ok(Self { direction, state })
    }

    /// GCM's tag so far, zeros for other modes.
    pub fn tag(&mut self) -> Block {
        match &mut self.state {
            State::Gcm(gcm) => gcm.tag(),
            _ => Block::default(),
        }
    }

    /// Goes on with another route's kernels, where the mode allows it.
    ///
    /// # Panics
    /// For XTS and GCM, which choose once per message.
    pub fn reroute(&mut self, kernels: &'static BlockKernels) {
        match &mut self.state {
            State::Ecb(key) | State::Cbc(key, _) | State::Feedback(_, key, _) => {
                key.reroute(kernels);
            }
            State::Xts(_) | State::Gcm(_) => panic!("this mode keeps its route"),
        }
    }
}

impl Work for Message {
    fn update(&mut self, data: InOut<'_>) -> Result<(), String> {
        let direction = self.direction;
        match &mut self.state {
            State::Ecb(key) => (key.kernels().ecb[direction as usize])(key.schedule(), data),
            State::Cbc(key, chain) => {
                (key.kernels().cbc[direction as usize])(key.schedule(), chain, data);
            }
            State::Feedback(mode, key, feedback) => feedback.update(*mode, direction, key, data),
            State::Xts(xts) => xts.unit(direction, data).map_err(|error| error.to_string())?,
            State::Gcm(gcm) => gcm.crypt(direction, data).map_err(|error| error.to_string())?,
        }
        Ok(())
    }

    fn close(&mut self, tag: &[u8]) -> Result<(), String> {
        match &mut self.state {
            State::Gcm(gcm) => {
                let right = !tag.is_empty() && gcm.tag().starts_with(tag);
                if right { Ok(()) } else { Err("another tag".to_owned()) }
            }
            _ => Err("this mode has no tag".to_owned()),
        }
    }

    fn duplicate(&self) -> Box<dyn Work> {
        Box::new(self.clone())
    }
}
