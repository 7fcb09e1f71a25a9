//! The one message authentication code on offer: HMAC with hash functions of our own. Everything else goes to
//! the HMAC of the program's other providers, where it goes without us.

pub(crate) mod hmac;

use std::ptr::NonNull;

use crate::boundary::host_mac::HostMac;
use crate::error::CallError;
use crate::host::Version;
use crate::mac::hmac::{Keyed, Stage};
use crate::openssl::Param;
use crate::params::list::{Asked, Given};
use crate::params::{END, List, given_text, int, octets, size};
use crate::provider::Provider;
use wirespeed_cipher::{Digest, Direction};
use wirespeed_stats::Tally;

/// A context.
pub(crate) struct Mac {
    /// See [`boundary::digest`](crate::boundary::digest).
    provider: NonNull<Provider>,
    /// What the next key will be for.
    chosen: Option<Digest>,
    keyed: Option<Keyed>,
    /// What counts, where calls are counted: as those of the hash function.
    tally: Option<Tally>,
    /// Who has the context for good, once it has been asked for what is not ours.
    host: Option<HostMac>,
}

/// What can be done here of a list of parameters.
struct Wish<'a> {
    digest: Option<Digest>,
    key: Option<&'a [u8]>,
}

impl Mac {
    /// A context without key and hash function.
    pub(crate) fn new(provider: NonNull<Provider>) -> Self {
        Self { provider, chosen: None, keyed: None, tally: None, host: None }
    }

    pub(crate) fn provider(&self) -> &Provider {
        // SAFETY: see there.
        unsafe { self.provider.as_ref() }
    }

    /// Makes a copy of this in an empty context.
    pub(crate) fn copy_to(&self, to: &mut Self) -> Result<(), CallError> {
        to.host = self.host.as_ref().map(HostMac::duplicate).transpose()?;
        to.chosen = self.chosen;
        to.tally.clone_from(&self.tally);
        if let Some(keyed) = &self.keyed {
            to.keyed.insert(Keyed::idle(keyed.kernels(), keyed.digest())).copy_from(keyed);
        }
        Ok(())
    }

    /// Takes the parameters of a context.
    pub(crate) fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        match self.wish(list) {
            Some(wish) => self.grant(&wish),
            None => self.set_by_host(list).map(|_| ()),
        }
    }

    /// Begins a message, with another key if there is one.
    pub(crate) fn start(&mut self, key: Option<&[u8]>, list: Given<'_>) -> Result<(), CallError> {
        let wish = self.wish(list);
        let can_take = |wish: &Wish<'_>| key.is_none() || wish.digest.or(self.digest()).is_some();
        let Some(wish) = wish.filter(can_take) else {
            return self.set_by_host(list)?.start(key, Given::NONE);
        };
        self.grant(&wish)?;
        match key {
            Some(key) => self.take_key(key),
            None => {
                self.keyed.as_mut().ok_or(CallError::SILENT)?.start();
                Ok(())
            }
        }
    }

    /// The next bytes.
    #[inline]
    pub(crate) fn update(&mut self, data: &[u8]) -> Result<(), CallError> {
        match (&mut self.host, &mut self.keyed) {
            (None, Some(keyed)) => {
                keyed.update(data)?;
                if let Some(tally) = &self.tally {
                    tally.count(Direction::Encrypt, keyed.kernels().route, data.len());
                }
                Ok(())
            }
            (Some(host), _) => host.update(data),
            (None, None) => Err(CallError::SILENT),
        }
    }

    /// The code: how many bytes were written.
    #[inline]
    pub(crate) fn finish(&mut self, room: &mut [u8]) -> Result<usize, CallError> {
        match (&mut self.host, &mut self.keyed) {
            (None, Some(keyed)) => {
                let bytes = keyed.digest().bytes();
                keyed.finish(room.get_mut(..bytes).ok_or(CallError::SILENT)?)?;
                Ok(bytes)
            }
            (Some(host), _) => host.finish(room),
            (None, None) => Err(CallError::SILENT),
        }
    }

    /// Answers the parameters of a context.
    pub(crate) fn answer(&self, mut list: Asked<'_>) -> Result<(), CallError> {
        if let Some(host) = &self.host {
            return host.answer(list);
        }
        let bytes = self.keyed.as_ref().map_or(0, |keyed| keyed.digest().bytes());
        let block_bytes = self.chosen.map_or(0, Digest::block_bytes);
        for param in list.iter_mut() {
            let answered = match param.name() {
                b"size" => param.set_usize(bytes),
                b"block-size" => param.set_u32(block_bytes as u32),
                _ => true,
            };
            if !answered {
                return Err(CallError::SILENT);
            }
        }
        Ok(())
    }

    fn take_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        let digest = self.digest().ok_or(CallError::SILENT)?;
        let kernels = self.provider().mac_kernels(digest).ok_or(CallError::SILENT)?;
        if self.keyed.as_ref().is_none_or(|keyed| keyed.digest() != digest) {
            self.tally = self.provider().tally(digest.into());
        }
        let keyed = match &mut self.keyed {
            Some(keyed) if keyed.digest() == digest => keyed,
            keyed => keyed.insert(Keyed::idle(kernels, digest)),
        };
        keyed.take_key(key);
        Ok(())
    }

    /// What a key is for: where none was chosen, what the last one was for.
    fn digest(&self) -> Option<Digest> {
        self.chosen.or_else(|| Some(self.keyed.as_ref()?.digest()))
    }

    fn grant(&mut self, wish: &Wish<'_>) -> Result<(), CallError> {
        self.chosen = wish.digest.or(self.chosen);
        wish.key.map_or(Ok(()), |key| self.take_key(key))
    }

    /// What the list says, if all of it can be done here.
    fn wish<'a>(&self, list: Given<'a>) -> Option<Wish<'a>> {
        let mut wish = Wish { digest: None, key: None };
        if self.host.is_some() {
            return None;
        }
        for param in list.iter() {
            let first = match param.name() {
                b"digest" => {
                    let digest = self.provider().mac_digest(param.as_text()?)?;
                    wish.digest.replace(digest).is_none()
                }
                b"key" => wish.key.replace(param.as_octets()?).is_none(),
                b"digest-noinit" | b"digest-oneshot" | b"tls-data-size" => {
                    param.as_usize() == Some(0)
                }
                b"properties" | b"engine" => false,
                _ => true,
            };
            if !first {
                return None;
            }
        }
        let can_take = wish.key.is_none() || wish.digest.or(self.digest()).is_some();
        can_take.then_some(wish)
    }

    /// Sets what is not ours. If the host takes it, it has the context from then on, as that stands but for a message
    /// that is under way: who goes on with that one is refused. If not, nothing has changed, as in the default
    /// provider, but that a hash function which cannot be had is none (ossl_prov_digest_load_from_params).
    #[cold]
    fn set_by_host(&mut self, list: Given<'_>) -> Result<&mut HostMac, CallError> {
        match &mut self.host {
            Some(host) => host.set(list)?,
            None => self.hand_over(list)?,
        }
        self.host.as_mut().ok_or(CallError::SILENT)
    }

    /// Gives the context to the host, with these parameters.
    fn hand_over(&mut self, list: Given<'_>) -> Result<(), CallError> {
        let mut host = HostMac::new(self.provider().host_macs().ok_or(CallError::SILENT)?)?;
        if let Some(keyed) = &self.keyed {
            host.choose(keyed.digest())?;
            host.key(keyed.key(), keyed.stage() == Stage::Begun)?;
        }
        match self.chosen {
            Some(digest) => host.choose(digest)?,
            // One was chosen that cannot be had.
            None if self.keyed.is_some() => host.choose_none(),
            None => {}
        }
        if let Err(error) = host.set(list) {
            let is_digest = |param: &&Param| param.name() == b"digest" && param.as_text().is_some();
            let named = list.iter().filter(is_digest).count();
            // A key given twice fails before any is looked at, where decoders read the list.
            if named == 1 || (named > 1 && !self.provider().version.has_decoders()) {
                self.chosen = None;
            }
            return Err(error);
        }
        (self.keyed, self.host) = (None, Some(host));
        Ok(())
    }
}

static GETTABLE: List<3> = List::new([size(c"size"), size(c"block-size"), END]);

static SETTABLE: List<5> = List::new([
    given_text(c"digest"),
    given_text(c"properties"),
    octets(c"key"),
    size(c"tls-data-size"),
    END,
]);

static SETTABLE_BEFORE_DECODERS: List<7> = List::new([
    given_text(c"digest"),
    given_text(c"properties"),
    octets(c"key"),
    int(c"digest-noinit"),
    int(c"digest-oneshot"),
    size(c"tls-data-size"),
    END,
]);

/// What a context tells.
pub(crate) fn gettable() -> *const Param {
    GETTABLE.as_ptr()
}

/// What a context takes.
pub(crate) fn settable(version: Version) -> *const Param {
    if version.has_decoders() { SETTABLE.as_ptr() } else { SETTABLE_BEFORE_DECODERS.as_ptr() }
}
