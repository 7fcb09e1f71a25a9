//! What a stream carries from call to call, mode by mode.
//!
//! ECB and CBC need no more than the kernels themselves and a chaining block.

mod feedback;
mod gcm;
mod xts;

pub use feedback::Feedback;
pub use gcm::{Gcm, GcmError};
pub use xts::{Xts, XtsError, next_tweak};
