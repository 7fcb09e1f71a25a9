//! The first API path: the kernels themselves, with the streams' state of `wirespeed_cipher::modes`.

use wirespeed_cipher::modes::{
    Ccm, ChaCha20, ChaCha20Poly1305, Feedback, Gcm, GcmSiv, Ocb, Stealing, Xts,
};
use wirespeed_cipher::{
    Algorithm, Block, BlockCipher, BlockKernels, BlockKey, Direction, InOut, Mode, Route,
    StreamKernels, StreamKey,
};
use wirespeed_cpu::Features;
use wirespeed_kernels::Absent;

use crate::api_path::{ApiPath, Setup, Work};

/// The kernels of one route.
#[derive(Clone, Copy)]
pub struct Kernels {
    route: Route,
    features: Features,
}

impl Kernels {
    /// The API path to `route`, on a machine with `features`.
    pub fn new(route: Route, features: Features) -> Result<Self, Absent> {
        let of = |algorithm: &Algorithm| wirespeed_kernels::has(route, *algorithm, features);
        // What is lacking is said of the first.
        of(&Algorithm::ALL[0])
            .or_else(|why| Algorithm::ALL.iter().find_map(|it| of(it).ok()).ok_or(why))?;
        Ok(Self { route, features })
    }

    /// The table for an algorithm, if the route has its cipher.
    pub fn table(&self, algorithm: Algorithm) -> Option<&'static BlockKernels> {
        let cipher = algorithm.block_cipher()?;
        let table = wirespeed_kernels::kernels(self.route, cipher, self.features).ok()?;
        assert_eq!(table.route, self.route, "the route that runs is the one asked for");
        Some(table)
    }
}

impl Kernels {
    /// ChaCha20's table, if the route has it.
    pub fn stream_table(&self) -> Option<&'static StreamKernels> {
        let table = wirespeed_kernels::stream(self.route, self.features).ok()?;
        assert_eq!(table.route, self.route, "the route that runs is the one asked for");
        Some(table)
    }

    /// Begins a message.
    pub fn message(&self, setup: &Setup<'_>) -> Result<Message, String> {
        const NONE: &str = "the route has no such cipher";
        if setup.algorithm.block_cipher().is_none() {
            return Message::of_stream(self.stream_table().ok_or(NONE)?, setup);
        }
        Message::begin(self.table(setup.algorithm).ok_or(NONE)?, setup)
    }

    /// Goes on with a message of another route.
    ///
    /// # Panics
    /// For XTS and GCM, which choose once per message.
    pub fn take_over(&self, message: &mut Message, algorithm: Algorithm) -> Result<(), String> {
        const NONE: &str = "the route has no such cipher";
        if algorithm.block_cipher().is_none() {
            message.reroute_stream(self.stream_table().ok_or(NONE)?);
        } else {
            message.reroute(self.table(algorithm).ok_or(NONE)?);
        }
        Ok(())
    }
}

impl ApiPath for Kernels {
    fn has(&self, algorithm: Algorithm) -> bool {
        wirespeed_kernels::has(self.route, algorithm, self.features).is_ok()
    }

    fn longest_iv(&self) -> usize {
        usize::MAX
    }

    fn is_fast(&self) -> bool {
        self.route != Route::Portable
    }

    /// The bookkeeping of cuts does not depend on the cipher, so AES-128 goes all the way, where it is fast.
    fn longest_cut(&self, algorithm: Algorithm) -> usize {
        let shortest = algorithm.block_cipher() == Some(BlockCipher::Aes128);
        if shortest && self.is_fast() { 300 } else { 100 }
    }

    fn begin(&self, setup: &Setup<'_>) -> Result<Box<dyn Work>, String> {
        self.message(setup).map(|message| Box::new(message) as _)
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
    Cts(BlockKey, Block),
    Feedback(Mode, BlockKey, Feedback),
    Xts(Box<Xts>),
    Gcm(Box<Gcm>),
    Ocb(Box<Ocb>),
    GcmSiv { siv: Box<GcmSiv>, aad: Vec<u8>, given: Block, made: Block },
    Ccm { ccm: Box<Ccm>, iv: Vec<u8>, aad: Vec<u8> },
    Stream(&'static StreamKernels, StreamKey, Box<ChaCha20>),
    Sealed(Box<ChaCha20Poly1305>),
}

impl Message {
    /// Sets everything up.
    pub fn begin(kernels: &'static BlockKernels, setup: &Setup<'_>) -> Result<Self, String> {
        let &Setup { algorithm, direction, key: bytes, iv, aad, tag } = setup;
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
            Mode::Cts => {
                key.set(bytes, direction);
                State::Cts(key, block()?)
            }
            mode @ (Mode::Cfb | Mode::Cfb8 | Mode::Ofb | Mode::Ctr) => {
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
            Mode::Ocb => {
                let mut ocb = Box::new(Ocb::new(kernels));
                ocb.set_key(bytes);
                ocb.start(iv);
                aad.iter().for_each(|piece| ocb.aad(piece));
                State::Ocb(ocb)
            }
            Mode::GcmSiv => {
                let wrong = |_| format!("IV of {} bytes, tag of {}", iv.len(), tag.len());
                let mut siv = Box::new(GcmSiv::new(kernels));
                siv.set_key(bytes);
                siv.start(iv.try_into().map_err(wrong)?);
                let given = tag.try_into().map_err(wrong)?;
                State::GcmSiv { siv, aad: aad.concat(), given, made: [0; 16] }
            }
            Mode::Ccm => {
                let mut ccm = Box::new(Ccm::new(kernels));
                ccm.set_key(bytes, tag.len(), iv.len());
                State::Ccm { ccm, iv: iv.to_vec(), aad: aad.concat() }
            }
            Mode::Stream | Mode::Poly1305 => return Err("no mode of a block cipher".to_owned()),
        };
        Ok(Self { direction, state })
    }

    /// The same with ChaCha20's kernels.
    pub fn of_stream(kernels: &'static StreamKernels, setup: &Setup<'_>) -> Result<Self, String> {
        let &Setup { algorithm, direction, key, iv, aad, .. } = setup;
        let key = key.try_into().map_err(|_| format!("key of {} bytes", key.len()))?;
        let wrong = |_| format!("IV of {} bytes", iv.len());
        let state = if algorithm.mode() == Mode::Stream {
            let mut stream = Box::new(ChaCha20::START);
            stream.start(iv.try_into().map_err(wrong)?);
            State::Stream(kernels, key, stream)
        } else {
            let mut sealed = Box::new(ChaCha20Poly1305::new(kernels));
            sealed.set_key(&key);
            sealed.start(iv.try_into().map_err(wrong)?);
            aad.iter().for_each(|piece| sealed.aad(piece));
            State::Sealed(sealed)
        };
        Ok(Self { direction, state })
    }

    /// The tag so far, zeros for modes without.
    pub fn tag(&mut self) -> Block {
        match &mut self.state {
            State::Gcm(gcm) => gcm.tag(),
            State::Ocb(ocb) => ocb.tag(),
            State::GcmSiv { made, .. } => *made,
            State::Ccm { ccm, .. } => ccm.state.tag(),
            State::Sealed(sealed) => sealed.tag(),
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
            _ => panic!("this mode keeps its route, or has kernels of another kind"),
        }
    }

    /// The same with ChaCha20's kernels.
    ///
    /// # Panics
    /// For block ciphers.
    pub fn reroute_stream(&mut self, table: &'static StreamKernels) {
        match &mut self.state {
            State::Stream(kernels, ..) => *kernels = table,
            State::Sealed(sealed) => sealed.reroute(table),
            _ => panic!("a block cipher has kernels of another kind"),
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
            State::Cts(key, chain) => Stealing::Cs1.crypt(key, direction, chain, data),
            State::Feedback(mode, key, feedback) => feedback.update(*mode, direction, key, data),
            State::Xts(xts) => xts.unit(direction, data).map_err(|error| error.to_string())?,
            State::Gcm(gcm) => gcm.crypt(direction, data).map_err(|error| error.to_string())?,
            State::Ocb(ocb) => ocb.crypt(direction, data),
            State::GcmSiv { siv, aad, given, made } => {
                *made = siv.crypt(direction, aad, given, data);
            }
            State::Ccm { ccm, iv, aad } => {
                ccm.start(iv, data.len() as u64);
                ccm.aad(aad);
                ccm.crypt(direction, data).map_err(|error| error.to_string())?;
            }
            State::Stream(kernels, key, stream) => stream.update(kernels, key, data),
            State::Sealed(sealed) => {
                sealed.crypt(direction, data).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn close(&mut self, tag: &[u8]) -> Result<(), String> {
        use State::{Ccm, Gcm, GcmSiv, Ocb, Sealed};
        if !matches!(self.state, Gcm(_) | Ocb(_) | GcmSiv { .. } | Ccm { .. } | Sealed(_)) {
            return Err("this mode has no tag".to_owned());
        }
        let right = !tag.is_empty() && self.tag().starts_with(tag);
        if right { Ok(()) } else { Err("another tag".to_owned()) }
    }

    fn duplicate(&self) -> Box<dyn Work> {
        Box::new(self.clone())
    }
}
