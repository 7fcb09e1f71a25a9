//! The one message authentication code on offer: HMAC with hash functions of our own. Everything else goes to
//! the HMAC of the program's other providers, where it goes without us.

pub(crate) mod hmac;

use std::ptr::NonNull;
use std::sync::Mutex;

use crate::boundary::host_mac::HostMac;
use crate::error::CallError;
use crate::host::Version;
use crate::mac::hmac::{Keyed, Stage};
use crate::openssl::Param;
use crate::params::list::{Asked, Given};
use crate::params::{END, List, given_text, int, octets, size};
use crate::provider::Provider;
use wirespeed_cipher::{Digest, Direction};
use wirespeed_fork::SetOnce;
use wirespeed_stats::Tally;

/// A context.
pub(crate) struct Mac {
    /// See [`boundary::digest`](crate::boundary::digest).
    provider: NonNull<Provider>,
    /// What the next key will be for.
    chosen: Option<Digest>,
    keyed: Option<Keyed>,
    /// The host's context under the same key, once a copy of this one was handed over: libssl does that with a copy for
    /// each record whose padding is secret. All copies have it.
    twin: SetOnce<Mutex<Option<HostMac>>>,
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
        Self { provider, chosen: None, keyed: None, twin: SetOnce::new(), tally: None, host: None }
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
            to.twin = self.twin.share(Mutex::default).into();
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
        self.twin = SetOnce::new();
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
        let mut has_properties = false;
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
                // Of a hash function that is named beside them.
                b"properties" => {
                    has_properties = true;
                    param.as_text().is_some()
                }
                b"engine" => false,
                _ => true,
            };
            if !first {
                return None;
            }
        }
        let can_take = wish.key.is_none() || wish.digest.or(self.digest()).is_some();
        (can_take && !(has_properties && wish.digest.is_some())).then_some(wish)
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
        let mut host = match &self.keyed {
            Some(keyed) => self.under_key(keyed)?,
            None => self.new_host()?,
        };
        let keyed_for = self.keyed.as_ref().map(Keyed::digest);
        match self.chosen {
            Some(digest) if Some(digest) != keyed_for => host.choose(digest)?,
            // One was chosen that cannot be had.
            None if keyed_for.is_some() => host.choose_none(),
            _ => {}
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

    fn new_host(&self) -> Result<HostMac, CallError> {
        HostMac::new(self.provider().host_macs().ok_or(CallError::SILENT)?)
    }

    /// A context of the host's that stands where `keyed` does.
    fn under_key(&self, keyed: &Keyed) -> Result<HostMac, CallError> {
        // In a child of fork(2) it may stay locked by a thread of the parent's.
        let mut host = match self.twin.get().and_then(|twin| twin.try_lock().ok()) {
            Some(mut twin) => match &mut *twin {
                Some(twin) => twin.duplicate()?,
                none => none.insert(self.keyed_host(keyed)?).duplicate()?,
            },
            None => self.keyed_host(keyed)?,
        };
        if keyed.stage() != Stage::Begun {
            host.lose_message();
        }
        Ok(host)
    }

    fn keyed_host(&self, keyed: &Keyed) -> Result<HostMac, CallError> {
        let mut host = self.new_host()?;
        host.choose(keyed.digest())?;
        host.start(Some(keyed.key()), Given::NONE)?;
        Ok(host)
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
