//! Why a call fails, in OpenSSL's own reason codes.

/// A reason code of the error library `ERR_LIB_PROV` (openssl/proverr.h), or one that all libraries
/// share (openssl/err.h), packed as `ERR_PACK(57, 0, reason)`.
///
/// The default provider raises the same codes, so a program that looks at them sees no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Reason {
    BadDecrypt = provider(100),
    CipherOperationFailed = provider(102),
    FailedToGetParameter = provider(103),
    FailedToSetParameter = provider(104),
    InvalidKeyLength = provider(105),
    OutputBufferTooSmall = provider(106),
    WrongFinalBlockLength = provider(107),
    InvalidAad = provider(108),
    InvalidIvLength = provider(109),
    InvalidTag = provider(110),
    NoKeySet = provider(114),
    InvalidData = provider(115),
    InvalidTagLength = provider(118),
    TagNotSet = provider(119),
    TagNotNeeded = provider(120),
    TooManyRecords = provider(126),
    InvalidDigestLength = provider(166),
    XtsDataUnitIsTooLarge = provider(148),
    XtsDuplicatedKeys = provider(149),
    RepeatedParameter = provider(252),
    /// `ERR_R_MALLOC_FAILURE`.
    OutOfMemory = provider(FATAL | COMMON | 256),
    /// `ERR_R_INTERNAL_ERROR`.
    Internal = provider(FATAL | COMMON | 259),
    /// `ERR_R_INIT_FAIL`.
    InitFail = provider(FATAL | COMMON | 261),
    /// `ERR_R_PASSED_INVALID_ARGUMENT`.
    InvalidArgument = provider(COMMON | 262),
}

const FATAL: u32 = 1 << 18;
const COMMON: u32 = 2 << 18;

const fn provider(reason: u32) -> u32 {
    57 << 23 | reason
}

/// A call that returns 0, and what it leaves in the error queue.
///
/// The default provider sometimes leaves nothing and sometimes two reasons; so do we.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallError(pub(crate) &'static [Reason]);

impl CallError {
    /// Nothing in the queue.
    pub(crate) const SILENT: Self = Self(&[]);
    pub(crate) const OPERATION_FAILED: Self = Self(&[Reason::CipherOperationFailed]);
    pub(crate) const CANNOT_GET: Self = Self(&[Reason::FailedToGetParameter]);
    pub(crate) const CANNOT_SET: Self = Self(&[Reason::FailedToSetParameter]);
    pub(crate) const INVALID_KEY_LENGTH: Self = Self(&[Reason::InvalidKeyLength]);
    pub(crate) const INVALID_IV_LENGTH: Self = Self(&[Reason::InvalidIvLength]);
    pub(crate) const INVALID_TAG: Self = Self(&[Reason::InvalidTag]);
    pub(crate) const NO_KEY_SET: Self = Self(&[Reason::NoKeySet]);
    pub(crate) const TOO_SMALL: Self = Self(&[Reason::OutputBufferTooSmall]);
    pub(crate) const WRONG_FINAL_BLOCK: Self = Self(&[Reason::WrongFinalBlockLength]);
    pub(crate) const BAD_DECRYPT: Self = Self(&[Reason::BadDecrypt]);
}
