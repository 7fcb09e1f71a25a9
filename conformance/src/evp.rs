//! The second API path: a provider behind EVP, in this process.

use wirespeed_cipher::{Algorithm, Direction, InOut, Mode, Route};
use wirespeed_libcrypto::{self as libcrypto, Cipher, CipherContext, Context, Library, Param};

use wirespeed_provider::InitFunction;

use crate::api_path::{ApiPath, Right, Setup, Work, has_tag};
use crate::client;
use crate::counted::{self, Counted};
use crate::data::same;
use crate::scratch::Scratch;

/// A library context with one provider, whose ciphers are all fetched from it.
#[derive(Clone)]
pub struct Provider {
    context: Context,
    /// Whether it is fast enough to cut long messages in every way.
    is_fast: bool,
}

impl Provider {
    /// OpenSSL's own default provider: the measure of all others.
    pub fn default(library: Library) -> Result<Self, libcrypto::Error> {
        let context = Context::new(library)?;
        context.load("default")?;
        Ok(Self::kept(context, true))
    }

    /// Ours, on one route alone.
    pub fn routed(library: Library, route: Route) -> Result<Self, String> {
        let init = wirespeed_provider::builtin(route);
        let is_fast = route.is_own() && route != Route::Portable;
        Ok(Self { is_fast, ..Self::builtin(library, init)? })
    }

    /// Ours, as the module is: with the default priority of all routes.
    pub fn priority(library: Library) -> Result<Self, String> {
        Self::builtin(library, wirespeed_provider::init)
    }

    /// Ours, with these lines in its section of openssl.cnf.
    pub fn configured(library: Library, lines: &str, is_fast: bool) -> Result<Self, String> {
        let told = |error: libcrypto::Error| error.to_string();
        let scratch = Scratch::new()?;
        let text = format!(
            "openssl_conf = init\n[init]\nproviders = providers\n\
             [providers]\nwirespeed = wirespeed\n[wirespeed]\nactivate = 1\n{lines}\n"
        );
        let file = scratch.write("openssl.cnf", text)?;
        let context = Context::new(library).map_err(told)?;
        // SAFETY: an entry point of our provider, which is part of this program.
        unsafe { context.add_builtin("wirespeed", wirespeed_provider::init) }.map_err(told)?;
        context.load_config(&file).map_err(told)?;
        if !context.has("wirespeed") {
            return Err(format!("the module refuses its configuration: {lines}"));
        }
        Ok(Self::kept(context, is_fast))
    }

    fn builtin(library: Library, init: InitFunction) -> Result<Self, String> {
        let context = Context::new(library).map_err(|error| error.to_string())?;
        // SAFETY: an entry point of our provider, which is part of this program.
        unsafe { context.add_builtin("wirespeed", init) }.map_err(|error| error.to_string())?;
        context.load("wirespeed").map_err(|error| error.to_string())?;
        Ok(Self::kept(context, true))
    }

    /// Keeps the library context until the process ends: a thread that used it and ends while it is being
    /// freed would follow it into freed memory (OPENSSL_thread_stop(3)).
    fn kept(context: Context, is_fast: bool) -> Self {
        std::mem::forget(context.clone());
        Self { context, is_fast }
    }

    /// The library context.
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The cipher, from the one provider here.
    pub fn cipher(&self, algorithm: Algorithm) -> Result<Cipher, libcrypto::Error> {
        self.context.fetch(algorithm.name(), None)
    }
}

impl Provider {
    /// What this provider makes of a message: for the default provider, what is right.
    pub fn right(&self, setup: &Setup<'_>, data: &[u8]) -> Result<Right, String> {
        let result = || {
            if setup.algorithm.mode() == Mode::Ccm {
                return Counted::begin(&self.cipher(setup.algorithm)?, setup)?.right(data);
            }
            let mut work = self.cipher(setup.algorithm)?.context()?;
            start(&mut work, setup)?;
            let mut output = vec![0; data.len() + 16];
            let length = work.update(data, &mut output)?;
            output.truncate(length);
            let (kind, mut last) = ((setup.algorithm, setup.direction), [0; 16]);
            output.extend(last_part(&work, kind, data.len() - length, &mut last)?);
            let tag = if has_tag(setup.algorithm) && !needs_tag(setup) {
                // Decryption does not tell the tag: encrypt what came out.
                if setup.direction == Direction::Decrypt {
                    start(&mut work, &Setup { direction: Direction::Encrypt, ..*setup })?;
                    work.update(&output, &mut vec![0; data.len() + 16])?;
                }
                let mut tag = [0; 16];
                work.finish(&mut last)?;
                work.tag(&mut tag)?;
                // Tags of the default provider's ARIA in GCM are uninitialised to memcheck, and right.
                client::cure(&mut tag);
                Some(tag)
            } else {
                None
            };
            Ok(Right { output, tag })
        };
        result().map_err(|error: libcrypto::Error| error.to_string())
    }
}

impl ApiPath for Provider {
    fn has(&self, algorithm: Algorithm) -> bool {
        self.cipher(algorithm).is_ok()
    }

    /// `GCM_IV_MAX_SIZE` of the default provider.
    fn longest_iv(&self) -> usize {
        128
    }

    fn is_fast(&self) -> bool {
        self.is_fast
    }

    fn begin(&self, setup: &Setup<'_>) -> Result<Box<dyn Work>, String> {
        let begin = || {
            let cipher = self.cipher(setup.algorithm)?;
            if setup.algorithm.mode() == Mode::Ccm {
                return Ok(Box::new(Counted::begin(&cipher, setup)?) as Box<dyn Work>);
            }
            let mut work = cipher.context()?;
            start(&mut work, setup)?;
            let (algorithm, direction) = (setup.algorithm, setup.direction);
            Ok(Box::new(Message { work, algorithm, direction }) as Box<dyn Work>)
        };
        begin().map_err(|error: libcrypto::Error| error.to_string())
    }
}

/// The direction in EVP's terms.
pub const fn direction(direction: Direction) -> libcrypto::Direction {
    match direction {
        Direction::Encrypt => libcrypto::Direction::Encrypt,
        Direction::Decrypt => libcrypto::Direction::Decrypt,
    }
}

/// Begins a message in a context that may have been used before; of CCM without its associated data, which its length
/// comes before.
pub fn start(work: &mut CipherContext, setup: &Setup<'_>) -> Result<(), libcrypto::Error> {
    if setup.algorithm.mode() == Mode::Ccm {
        counted::start(work, setup)?;
        let opens = setup.direction == Direction::Decrypt;
        return if opens { work.set_tag(setup.tag) } else { Ok(()) };
    }
    let ivlen = [Param::size(c"ivlen", setup.iv.len())];
    let padding = [Param::uint(c"padding", 0)];
    let params: &[Param<'_>] = match setup.algorithm.mode() {
        Mode::Gcm | Mode::Ocb => &ivlen,
        Mode::Ecb | Mode::Cbc => &padding,
        _ => &[],
    };
    let iv = (!setup.iv.is_empty()).then_some(setup.iv);
    work.init(direction(setup.direction), Some(setup.key), iv, params)?;
    if needs_tag(setup) {
        work.set_tag(setup.tag)?;
    }
    setup.aad.iter().filter(|piece| !piece.is_empty()).try_for_each(|piece| work.aad(piece))
}

/// Whether the tag must be there before the data.
fn needs_tag(setup: &Setup<'_>) -> bool {
    setup.algorithm.mode().wants_tag_first() && setup.direction == Direction::Decrypt
}

/// The last bytes of a message in OCB, less than a block, as the end of the message will give them; a wrong tag refuses
/// them too late.
fn last_part<'a>(
    work: &CipherContext,
    (algorithm, direction): (Algorithm, Direction),
    bytes: usize,
    last: &'a mut [u8; 16],
) -> Result<&'a [u8], libcrypto::Error> {
    let bytes = if algorithm.mode() == Mode::Ocb { bytes } else { 0 };
    if bytes > 0 {
        let ended = work.duplicate()?.finish(last);
        if direction == Direction::Encrypt {
            assert_eq!(ended?, bytes, "the last part of a block");
        }
    }
    Ok(&last[..bytes])
}

struct Message {
    work: CipherContext,
    algorithm: Algorithm,
    direction: Direction,
}

impl Work for Message {
    fn update(&mut self, data: InOut<'_>) -> Result<(), String> {
        let length = data.len();
        let failed = |error: libcrypto::Error| error.to_string();
        // SAFETY: `data` vouches for both ranges. Whole blocks with padding off, which are all that
        // comes this way but for OCB's last part, give as many bytes as they take.
        let written = unsafe { self.work.update_raw(data.source(), length, data.destination()) };
        let written = written.map_err(failed)?;
        let (kind, mut last) = ((self.algorithm, self.direction), [0; 16]);
        let last = last_part(&self.work, kind, length - written, &mut last).map_err(failed)?;
        if written + last.len() != length {
            return Err(format!("{written} bytes out, {length} in"));
        }
        data.split_at(written).1.overwrite(last);
        Ok(())
    }

    fn close(&mut self, tag: &[u8]) -> Result<(), String> {
        let work = &mut self.work;
        let verdict = match self.direction {
            Direction::Decrypt => work.set_tag(tag).and_then(|()| work.finish(&mut [0; 16])),
            Direction::Encrypt => {
                let mut found = [0; 16];
                let found = &mut found[..tag.len()];
                work.finish(&mut [0; 16])
                    .and_then(|_| work.tag(found))
                    .map_err(|error| error.to_string())?;
                return same(|| "tag".to_owned(), tag, found);
            }
        };
        verdict.map(|_| ()).map_err(|error| error.to_string())
    }

    fn duplicate(&self) -> Box<dyn Work> {
        let work = self.work.duplicate().expect("a context can be copied");
        Box::new(Self { work, ..*self })
    }
}
