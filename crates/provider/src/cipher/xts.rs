//! XTS: every update is one data unit (a disk sector).

use std::ptr::null;

use wirespeed_cipher::modes::{Standard, Xts, XtsError};
use wirespeed_cipher::{Block, BlockKernels, Direction, InOut};
use zeroize::Zeroize;

use super::common::{self, Common, Progress};
use super::{Cipher, Setup, equal};
use crate::call::Call;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::offload::call::{OffloadCall, OffloadFailed};
use crate::openssl::{Param, data_type};
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};
use crate::params::request::Settings;
use crate::provider::Provider;
use crate::routing::choice::{Choice, NewKey, OffloadStep, Step};

static SETTABLE: Declared = Declared::of(&[Name::KeyLength]);
static SETTABLE_OF_SM4: Declared = Declared::of(&[Name::Standard]);

/// The context of XTS, of AES or of SM4.
#[derive(Clone)]
pub(crate) struct Sectors<const SM4: bool> {
    choice: Choice<BlockKernels>,
    xts: Xts,
    common: Common,
    /// Whether the tweak of the current IV under the current key is at hand.
    tweak_ready: bool,
}

impl<const SM4: bool> Cipher for Sectors<SM4> {
    fn gettable(version: Version) -> &'static Declared {
        common::gettable(version)
    }

    fn settable(_: Version) -> &'static Declared {
        if SM4 { &SETTABLE_OF_SM4 } else { &SETTABLE }
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        let setup = Setup::of(provider, subject)?;
        Some(Self {
            xts: Xts::new(setup.choice.own()),
            common: Common::new(setup.choice.algorithm(), setup.version),
            choice: setup.choice,
            tweak_ready: false,
        })
    }

    #[inline]
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        self.common.direction = direction;
        if let Some(iv) = iv {
            self.common.take_iv(iv)?;
            self.tweak_ready = false;
        }
        if let Some(key) = key {
            self.common.check_key(key)?;
            // Rogaway 2004 and FIPS 140 want the halves to differ; as the default provider does, we
            // still decrypt what was once encrypted otherwise. SM4's, it does not look at.
            let (data, tweak) = key.split_at(key.len() / 2);
            if !SM4 && direction == Direction::Encrypt && equal(data, tweak) {
                return Err(CallError(&[Reason::XtsDuplicatedKeys]));
            }
            match self.choice.take_key(key, direction) {
                NewKey::Ours => self.xts.set_key(key, direction),
                NewKey::Shared => self.xts.keep_key(key, direction),
                NewKey::By(kernels) => {
                    self.xts.reroute(kernels);
                    self.xts.reroute_tweaks(kernels);
                    self.xts.set_key(key, direction);
                }
            }
            self.common.key_set = true;
            self.tweak_ready = false;
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if call.capacity() < call.length() {
            return Err(CallError::TOO_SMALL);
        }
        self.unit(call).map_err(|error| match error {
            Some(XtsError::TooLong) => {
                CallError(&[Reason::XtsDataUnitIsTooLarge, Reason::CipherOperationFailed])
            }
            _ => CallError::OPERATION_FAILED,
        })
    }

    #[inline]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        Ok(0)
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.unit(call).map_err(|error| match error {
            Some(XtsError::TooLong) => CallError(&[Reason::XtsDataUnitIsTooLarge]),
            _ => CallError::SILENT,
        })
    }

    #[inline]
    fn answer_often(&mut self, param: &mut Param) -> bool {
        self.common.answer_often(param)
    }

    #[inline]
    fn set_often(&mut self, param: &Param) -> bool {
        // XTS has no padding to set; EVP tries all the same.
        param.is_called(b"padding\0")
    }

    fn answer(&mut self, list: Asked<'_>) -> Result<(), CallError> {
        let progress = Progress { iv: &self.common.iv, num: 0, tls_mac: null() };
        self.common.answer(list, &progress)
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        if SM4 {
            return self.set_standard(list);
        }
        let settings = Settings::of(list, &SETTABLE, self.common.version)?;
        match settings.value(Name::KeyLength, Param::as_usize)? {
            Some(bytes) if bytes != self.common.key_bytes => Err(CallError::SILENT),
            _ => Ok(()),
        }
    }
}

impl<const SM4: bool> Sectors<SM4> {
    /// Takes `xts_standard`.
    fn set_standard(&mut self, list: Given<'_>) -> Result<(), CallError> {
        let version = self.common.version.of_late_decoders();
        let settings = Settings::of(list, &SETTABLE_OF_SM4, version)?;
        let Some(param) = settings.given(Name::Standard) else { return Ok(()) };
        if param.data_type != data_type::UTF8_STRING {
            return Err(CallError::SILENT);
        }
        let name = param.as_text().ok_or(CallError::CANNOT_GET)?.to_bytes();
        let named = |it: &Standard| it.name().to_bytes().eq_ignore_ascii_case(name);
        let standard = Standard::ALL.into_iter().find(named).ok_or(CallError::CANNOT_SET)?;
        self.xts.set_standard(standard);
        Ok(())
    }

    /// How blocks are stolen from: SM4's default provider looks at the direction of now, AES's at that of the key, with
    /// which it chooses its functions.
    const fn steals(&self) -> Direction {
        if SM4 { self.common.direction } else { self.xts.direction() }
    }

    /// One data unit; `None` is every failure that the default provider has no name for.
    #[inline]
    fn unit(&mut self, call: Call<'_>) -> Result<usize, Option<XtsError>> {
        let data = call.whole().map_err(|_| None)?;
        if !self.common.key_set || !self.common.iv_set {
            return Err(None);
        }
        if let Some(kernels) = self.choice.kernels(self.xts.direction(), data.len()) {
            if !self.tweak_ready {
                self.xts.reroute_tweaks(self.choice.own());
                self.xts.start(&self.common.iv);
                self.tweak_ready = true;
            }
            self.xts.reroute(kernels);
            self.xts.unit(self.steals(), data)?;
        } else {
            self.unit_slowly(data)?;
        }
        Ok(call.length())
    }

    #[cold]
    #[inline(never)]
    fn unit_slowly(&mut self, data: InOut<'_>) -> Result<(), XtsError> {
        Xts::check(data.len())?;
        let direction = self.xts.direction();
        let mut step = Unit::<SM4> {
            direction: self.steals(),
            neutral: self.choice.neutral(),
            xts: &mut self.xts,
            iv: &self.common.iv,
        };
        let mut tweak = None;
        self.choice.slowly(direction, &mut step, &mut tweak, data);
        tweak.zeroize();
        Ok(())
    }
}

/// A data unit or a part of one, whichever path it takes.
struct Unit<'a, const SM4: bool> {
    xts: &'a mut Xts,
    /// Who makes the tweak, which belongs to no route: whoever is verified must not.
    neutral: &'static BlockKernels,
    iv: &'a Block,
    direction: Direction,
}

impl<const SM4: bool> Step for Unit<'_, SM4> {
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

impl<const SM4: bool> OffloadStep for Unit<'_, SM4> {
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static BlockKernels,
        tweak: &mut Option<Block>,
        mut data: InOut<'_>,
    ) {
        let (direction, iv, standard) = (self.direction, self.iv, self.xts.standard().name());
        let run = if SM4 {
            call.by_host(|host| host.sector(direction, iv, standard, data.reborrow()))
        } else {
            call.run(direction, iv, data.reborrow())
        };
        if let Err(OffloadFailed) = run {
            self.own(spare, tweak, data);
        }
    }
}
