//! What a stream carries from call to call, mode by mode.
//!
//! ECB and CBC need no more than the kernels themselves and a chaining block.

mod ccm;
mod cfb8;
mod chacha;
mod cts;
mod feedback;
mod gcm;
mod gcm_siv;
mod message;
mod ocb;
mod sealed;
mod xts;

pub use ccm::{Ccm, CcmState, WrongLength};
pub use chacha::ChaCha20;
pub use cts::Stealing;
pub use feedback::Feedback;
pub use gcm::{Gcm, GcmError};
pub use gcm_siv::GcmSiv;
pub use message::{Kernels, Message, MessageError};
pub use ocb::Ocb;
pub use sealed::{ChaCha20Poly1305, MessageTooLong};
pub use xts::{Standard, Xts, XtsError, next_tweak, xts_by_ecb};
