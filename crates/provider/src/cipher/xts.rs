//! XTS: every update is one data unit (a disk sector).

use std::ptr::null;

use wirespeed_cipher::modes::{Xts, XtsError};
use wirespeed_cipher::{Block, BlockKernels, Direction, InOut};
use zeroize::Zeroize;

use super::common::{self, Common, Progress};
use super::{Cipher, Setup};
use crate::call::Call;
use crate::choice::{Choice, FarStep, Step};
use crate::far::{Far, FarFailed};
use crate::host::Version;
use crate::openssl::Param;
use crate::params::{END, List, size};
use crate::provider::Provider;
use crate::refusal::{Reason, Refusal};
use crate::request::{Name, Names, Request};

static SETTABLE_LIST: List<2> = List::new([size(c"keylen"), END]);

/// The context of XTS.
#[derive(Clone)]
pub(crate) struct Sectors {
    choice: Choice<BlockKernels>,
    xts: Xts,
    common: Common,
    /// The direction at the time the key came: OpenSSL chooses its functions then.
    direction: Direction,
    /// Whether the tweak of the current IV under the current key is at hand.
    tweak_ready: bool,
}

impl Cipher for Sectors {
    fn gettable(version: Version) -> *const Param {
        common::gettable(version)
    }

    fn settable() -> *const Param {
        SETTABLE_LIST.as_ptr()
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        let setup = Setup::of(provider, subject)?;
        Some(Self {
            xts: Xts::new(setup.choice.own()),
            common: Common::new(setup.choice.algorithm(), setup.version),
            choice: setup.choice,
            direction: Direction::Decrypt,
            tweak_ready: false,
        })
    }

    #[inline]
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), Refusal> {
        self.common.direction = direction;
        if let Some(iv) = iv {
            self.common.take_iv(iv)?;
            self.tweak_ready = false;
        }
        if let Some(key) = key {
            self.common.check_key(key)?;
            // Rogaway 2004 and FIPS 140 want the halves to differ; as the default provider does, we
            // still decrypt what was once encrypted otherwise.
            let (data, tweak) = key.split_at(key.len() / 2);
            if direction == Direction::Encrypt && equal(data, tweak) {
                return Err(Refusal(&[Reason::XtsDuplicatedKeys]));
            }
            self.choice.take_key(key, direction, |kernels| {
                self.xts.reroute(kernels);
                self.xts.reroute_tweaks(kernels);
            });
            self.xts.set_key(key, direction);
            self.direction = direction;
            self.common.key_set = true;
            self.tweak_ready = false;
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Refusal> {
        if call.capacity() < call.length() {
            return Err(Refusal::TOO_SMALL);
        }
        self.unit(call).map_err(|error| match error {
            Some(XtsError::TooLong) => {
                Refusal(&[Reason::XtsDataUnitIsTooLarge, Reason::CipherOperationFailed])
            }
            _ => Refusal::OPERATION_FAILED,
        })
    }

    #[inline]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, Refusal> {
        Ok(0)
    }

    fn bare(&mut self, call: Call<'_>) -> Result<usize, Refusal> {
        self.unit(call).map_err(|error| match error {
            Some(XtsError::TooLong) => Refusal(&[Reason::XtsDataUnitIsTooLarge]),
            _ => Refusal::SILENT,
        })
    }

    #[inline]
    fn answer_often(&mut self, param: &mut Param) -> Option<Result<(), Refusal>> {
        self.common.answer_often(param)
    }

    #[inline]
    fn set_often(&mut self, param: &Param) -> Option<Result<(), Refusal>> {
        // XTS has no padding to set; EVP tries all the same.
        param.is_called(b"padding\0").then_some(Ok(()))
    }

    unsafe fn answer(&mut self, list: *mut Param) -> Result<(), Refusal> {
        let progress = Progress { iv: &self.common.iv, num: 0, tls_mac: null() };
        // SAFETY: the caller promises the list.
        unsafe { self.common.answer(list, &progress) }
    }

    unsafe fn set(&mut self, list: *const Param) -> Result<(), Refusal> {
        const SETTABLE: Names = Names::of(&[Name::KeyLength]);
        // SAFETY: the caller promises the list; it is only read.
        let request = unsafe { Request::read(list.cast_mut(), SETTABLE, self.common.version)? };
        match request.value(Name::KeyLength, Param::as_usize)? {
            Some(bytes) if bytes != self.common.key_bytes => Err(Refusal::SILENT),
            _ => Ok(()),
        }
    }
}

impl Sectors {
    /// One data unit; `None` is every failure that the default provider has no name for.
    #[inline]
    fn unit(&mut self, call: Call<'_>) -> Result<usize, Option<XtsError>> {
        let data = call.whole().map_err(|_| None)?;
        if !self.common.key_set || !self.common.iv_set {
            return Err(None);
        }
        if let Some(kernels) = self.choice.kernels(self.direction, data.len()) {
            if !self.tweak_ready {
                self.xts.start(&self.common.iv);
                self.tweak_ready = true;
            }
            self.xts.reroute(kernels);
            self.xts.unit(self.direction, data)?;
        } else {
            self.unit_slowly(data)?;
        }
        Ok(call.length())
    }

    #[cold]
    #[inline(never)]
    fn unit_slowly(&mut self, data: InOut<'_>) -> Result<(), XtsError> {
        Xts::check(data.len())?;
        let mut step = Unit {
            neutral: self.choice.neutral(),
            xts: &mut self.xts,
            iv: &self.common.iv,
            direction: self.direction,
        };
        let mut tweak = None;
        self.choice.slowly(self.direction, &mut step, &mut tweak, data);
        tweak.zeroize();
        Ok(())
    }
}

/// A data unit or a part of one, whichever way it takes.
struct Unit<'a> {
    xts: &'a mut Xts,
    /// Who makes the tweak, which belongs to no route: whoever is verified must not.
    neutral: &'static BlockKernels,
    iv: &'a Block,
    direction: Direction,
}

impl Step for Unit<'_> {
    type Kernels = BlockKernels;
    /// The encrypted tweak of the next block, once it is needed: the host makes its own.
    type State = Option<Block>;

    fn own(&mut self, kernels: &'static BlockKernels, tweak: &mut Option<Block>, data: InOut<'_>) {
        let tweak = tweak.get_or_insert_with(|| {
            self.xts.reroute_tweaks(self.neutral);
            self.xts.start(self.iv);
            *self.xts.tweak()
        });
        self.xts.reroute(kernels);
        self.xts.part(self.direction, tweak, data);
    }

    fn agree(a: &Option<Block>, b: &Option<Block>) -> bool {
        a == b
    }
}

impl FarStep for Unit<'_> {
    fn far(
        &mut self,
        far: &mut Far<'_>,
        spare: &'static BlockKernels,
        tweak: &mut Option<Block>,
        mut data: InOut<'_>,
    ) {
        if let Err(FarFailed) = far.run(self.direction, self.iv, data.reborrow()) {
            self.own(spare, tweak, data);
        }
    }
}

/// Whether two halves of a key are equal, in constant time.
fn equal(a: &[u8], b: &[u8]) -> bool {
    std::hint::black_box(a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b))) == 0
}
